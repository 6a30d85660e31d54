import { describe, expect, test } from 'bun:test';
import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileStorage, readFileStorage } from '../../../src/index.ts';
import { ITEM, KEY, publishText, readText, stageText, unavailableMessage, WORKSPACE } from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';
import { ownDirectory, stagedFiles } from '../../support/staging.ts';

const modeOf = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o777).toString(8);

describe('on disk', () => {
  test(
    'the root is made, with what is missing above it, for nobody else to look in',
    withScratch(async (scratch) => {
      const root = join(scratch, 'var/lib/media');
      await openFileStorage(root);
      expect(await modeOf(root)).toBe('700');
      expect(await modeOf(join(root, '.staging'))).toBe('700');
    }),
  );

  test.each([
    ['the root is', 'link'],
    ['the directory above the root is, as with a dynamic user of systemd,', 'link/media'],
  ])('%s a link of the operator, which is followed', (_, root) =>
    withScratch(async (scratch) => {
      await mkdir(join(scratch, 'disk'));
      await symlink('disk', join(scratch, 'link'));
      const storage = await openFileStorage(join(scratch, root));
      await publishText(storage, KEY, 'bytes');
      expect(await readFile(join(scratch, root.replace('link', 'disk'), KEY), 'utf8')).toBe('bytes');
      expect(await readText(storage, KEY)).toBe('bytes');
      expect(await readText(await readFileStorage(join(scratch, root)), KEY)).toBe('bytes');
      await storage.remove(KEY);
      expect(await Array.fromAsync(storage.list())).toEqual([]);
    })(),
  );

  test(
    'a root that is there stays as it is',
    withScratch(async (root) => {
      await chmod(root, 0o750);
      const first = await openFileStorage(root);
      await publishText(first, KEY, 'kept');
      await openFileStorage(root);
      expect(await modeOf(root)).toBe('750');
      expect(await readFile(join(root, KEY), 'utf8')).toBe('kept');
    }),
  );

  test(
    'bytes wait in .staging/{run}, then stand at {workspace}/{id}/{name}, private all the way',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const staged = await stageText(storage, 'bytes');
      const directory = await ownDirectory(root);
      const [name = '', ...more] = await readdir(directory);
      expect(more).toEqual([]);
      expect(staged.path).toBe(join(directory, name));
      expect(await modeOf(directory)).toBe('700');
      expect(await modeOf(join(directory, name))).toBe('600');
      await staged.publish(KEY);
      expect(await stagedFiles(root)).toEqual([join(directory, name)]);
      expect((await lstat(join(root, KEY))).nlink).toBe(2);
      await staged.discard();
      expect(await stagedFiles(root)).toEqual([]);
      expect(await readFile(join(root, KEY), 'utf8')).toBe('bytes');
      expect(await modeOf(join(root, KEY))).toBe('600');
      expect(await modeOf(join(root, WORKSPACE))).toBe('700');
      expect(await modeOf(join(root, WORKSPACE, ITEM))).toBe('700');
      expect((await lstat(join(root, KEY))).nlink).toBe(1);
    }),
  );

  test(
    'removing takes the emptied item directory along and leaves the workspace',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const cover = KEY.replace('photo.jpg', 'cover.jpg');
      await publishText(storage, KEY, 'photo');
      await publishText(storage, cover, 'cover');
      await storage.remove(KEY);
      expect(await readdir(join(root, WORKSPACE, ITEM))).toEqual(['cover.jpg']);
      await storage.remove(cover);
      expect(await readdir(join(root, WORKSPACE))).toEqual([]);
    }),
  );

  test(
    'an item directory that a crash left empty goes with the next removal',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      await mkdir(join(root, WORKSPACE, ITEM), { recursive: true });
      await storage.remove(KEY);
      expect(await readdir(join(root, WORKSPACE))).toEqual([]);
    }),
  );

  test(
    'an object is as old as its publishing, not as its upload',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const staged = await stageText(storage, 'slow');
      await utimes(staged.path ?? '', new Date(0), new Date(0));
      await staged.publish(KEY);
      await staged.discard();
      const [listed] = await Array.fromAsync(storage.list());
      expect(listed?.modifiedAt).toBeGreaterThan(Date.UTC(2020, 0));
    }),
  );

  test(
    'several storages of one process stage in one place; one that stages nothing leaves none',
    withScratch(async (root) => {
      const storages = [await openFileStorage(root), await openFileStorage(root)];
      expect(await readdir(join(root, '.staging'))).toEqual([]);
      const staged = await Promise.all(storages.map((storage) => stageText(storage, 'bytes')));
      expect(await readdir(await ownDirectory(root))).toHaveLength(2);
      await Promise.all(staged.map((each) => each.discard()));
    }),
  );

  test(
    'what is not ours is neither listed nor in the way',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      await publishText(storage, KEY, 'ours');
      await mkdir(join(root, 'lost+found'), { mode: 0o000 });
      await mkdir(join(root, WORKSPACE, 'notes'));
      await mkdir(join(root, WORKSPACE, ITEM, 'directory'));
      await writeFile(join(root, WORKSPACE, 'notes', 'a.txt'), '');
      await writeFile(join(root, 'README'), '');
      await writeFile(join(root, WORKSPACE, ITEM, 'control\x07.jpg'), '');
      await writeFile(join(root, WORKSPACE, ITEM, 'back\\slash.jpg'), '');
      const listed = await Array.fromAsync(storage.list());
      expect(listed.map(({ key }) => key)).toEqual([KEY]);
      expect(await storage.open(KEY.replace('photo.jpg', 'directory'))).toBeNull();
      await storage.remove(KEY.replace('photo.jpg', 'directory'));
      expect((await lstat(join(root, WORKSPACE, ITEM, 'directory'))).isDirectory()).toBe(true);
    }),
  );

  test(
    'something else in the place of .staging stops the start',
    withScratch(async (scratch) => {
      await mkdir(join(scratch, 'elsewhere'));
      await mkdir(join(scratch, 'linked'));
      await symlink(join(scratch, 'elsewhere'), join(scratch, 'linked/.staging'));
      await expect(openFileStorage(join(scratch, 'linked'))).rejects.toThrow('must be a directory');
      await mkdir(join(scratch, 'file'));
      await writeFile(join(scratch, 'file/.staging'), '');
      await expect(openFileStorage(join(scratch, 'file'))).rejects.toThrow('must be a directory');
    }),
  );
});

describe('when the root is gone', () => {
  test(
    'every method says that the storage is unavailable, and nothing makes a new one',
    withScratch(async (scratch) => {
      const root = join(scratch, 'media');
      const storage = await openFileStorage(root);
      const staged = await stageText(storage, 'never published');
      await rm(root, { recursive: true });
      const message = 'The storage is unavailable.';
      expect(await unavailableMessage(stageText(storage, 'bytes'))).toBe(message);
      expect(await unavailableMessage(storage.open(KEY))).toBe(message);
      expect(await unavailableMessage(storage.remove(KEY))).toBe(message);
      expect(await unavailableMessage(Array.fromAsync(storage.list()))).toBe(message);
      expect(await unavailableMessage(storage.sweepStaging(0))).toBe(message);
      expect(await unavailableMessage(storage.check())).toBe(message);
      await expect(staged.publish(KEY)).rejects.toThrow();
      await staged.discard();
      expect(await readdir(scratch)).toEqual([]);
    }),
  );

  test(
    'an empty mount point in its place is no empty storage',
    withScratch(async (scratch) => {
      const root = join(scratch, 'media');
      const storage = await openFileStorage(root);
      await rm(root, { recursive: true });
      await mkdir(root);
      expect(await unavailableMessage(storage.open(KEY))).toBe('The storage is unavailable.');
      expect(await unavailableMessage(storage.remove(KEY))).toBe('The storage is unavailable.');
      expect(await unavailableMessage(storage.check())).toBe('The storage is unavailable.');
    }),
  );
});
