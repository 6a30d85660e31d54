import { describe, expect, test } from 'bun:test';
import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { readFileStorage } from '../../../src/index.ts';
import {
  ITEM,
  KEY,
  openStreaming,
  publishText,
  readText,
  stageText,
  unavailableMessage,
  WORKSPACE,
} from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { ownDirectory, stagedFiles } from '../../support/staging.ts';

const modeOf = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o777).toString(8);
const UNAVAILABLE = 'The storage is unavailable.';

describe('the layout on disk', () => {
  testInScratch(
    'has mode 0700 for a new root and its parents and keeps the mode of an existing root',
    async (scratch) => {
      const root = join(scratch, 'var/lib/media');
      await publishText(await openStreaming(root), KEY, 'kept');
      for (const path of [root, join(root, '.staging')]) expect(await modeOf(path)).toBe('700');
      await chmod(root, 0o750);
      await openStreaming(root);
      expect(await modeOf(root)).toBe('750');
      expect(await readFile(join(root, KEY), 'utf8')).toBe('kept');
    },
  );

  test.each([
    ['the root', 'link'],
    ['the directory above the root (as systemd makes for a dynamic user)', 'link/media'],
  ])('allows %s to be a symbolic link', (_, root) =>
    withScratch(async (scratch) => {
      await mkdir(join(scratch, 'disk'));
      await symlink('disk', join(scratch, 'link'));
      const storage = await openStreaming(join(scratch, root));
      await publishText(storage, KEY, 'bytes');
      expect(await readFile(join(scratch, root.replace('link', 'disk'), KEY), 'utf8')).toBe('bytes');
      for (const each of [storage, await readFileStorage(join(scratch, root))]) {
        expect(await readText(each, KEY)).toBe('bytes');
      }
      await storage.purge(KEY);
      expect(await Array.fromAsync(storage.list())).toEqual([]);
    })(),
  );

  testInScratch(
    'stages in .staging/{owner} and publishes as {workspace}/{id}/{name}, for the owner only',
    async (root) => {
      const [storage, second] = [await openStreaming(root), await openStreaming(root)];
      expect(await readdir(join(root, '.staging'))).toEqual([]);
      const [staged, other] = [await stageText(storage, 'bytes'), await stageText(second, 'other')];
      const directory = await ownDirectory(root);
      expect(await stagedFiles(root)).toEqual([staged.path ?? '', other.path ?? ''].sort());
      expect(staged.path).toStartWith(`${directory}/`);
      await other.discard();
      expect(await modeOf(directory)).toBe('700');
      expect(await modeOf(staged.path ?? '')).toBe('600');
      await staged.publish(KEY);
      expect((await lstat(join(root, KEY))).nlink).toBe(2);
      await staged.discard();
      expect(await stagedFiles(root)).toEqual([]);
      expect(await readFile(join(root, KEY), 'utf8')).toBe('bytes');
      expect((await lstat(join(root, KEY))).nlink).toBe(1);
      expect(await modeOf(join(root, KEY))).toBe('600');
      for (const path of [WORKSPACE, `${WORKSPACE}/${ITEM}`]) expect(await modeOf(join(root, path))).toBe('700');
    },
  );

  testInScratch('loses the empty item directory of a removed object but not the workspace directory', async (root) => {
    const storage = await openStreaming(root);
    const cover = KEY.replace('photo.jpg', 'cover.jpg');
    for (const key of [KEY, cover]) await publishText(storage, key, 'bytes');
    await storage.purge(KEY);
    expect(await readdir(join(root, WORKSPACE, ITEM))).toEqual(['cover.jpg']);
    await storage.purge(cover);
    expect(await readdir(join(root, WORKSPACE))).toEqual([]);
  });

  testInScratch('dates an object from its publication, not from the start of its upload', async (root) => {
    const storage = await openStreaming(root);
    const staged = await stageText(storage, 'slow');
    await utimes(staged.path ?? '', new Date(0), new Date(0));
    await staged.publish(KEY);
    await staged.discard();
    const [listed] = await Array.fromAsync(storage.list());
    expect(listed?.modifiedAt).toBeGreaterThan(Date.UTC(2020, 0));
  });

  testInScratch(
    'may contain foreign files and directories, which are neither listed, opened nor removed',
    async (root) => {
      const storage = await openStreaming(root);
      await publishText(storage, KEY, 'ours');
      await mkdir(join(root, 'lost+found'), { mode: 0o000 });
      await mkdir(join(root, WORKSPACE, 'notes'));
      await mkdir(join(root, WORKSPACE, ITEM, 'directory'));
      for (const path of ['README', `${WORKSPACE}/notes/a.txt`, `${WORKSPACE}/${ITEM}/control\x07.jpg`]) {
        await writeFile(join(root, path), '');
      }
      const listed = await Array.fromAsync(storage.list());
      expect(listed.map(({ key }) => key)).toEqual([KEY]);
      expect(await storage.open(KEY.replace('photo.jpg', 'directory'))).toBeNull();
      await storage.purge(KEY.replace('photo.jpg', 'directory'));
      expect((await lstat(join(root, WORKSPACE, ITEM, 'directory'))).isDirectory()).toBe(true);
    },
  );

  test.each([
    ['a link', (path: string) => symlink('/tmp', path)],
    ['a file', (path: string) => writeFile(path, '')],
  ])('cannot be opened with %s in place of .staging', (_, plant) =>
    withScratch(async (root) => {
      await plant(join(root, '.staging'));
      expect(await outcomeOf(openStreaming(root))).toThrow('must be a directory');
    })(),
  );
});

describe('a storage without its root', () => {
  testInScratch('refuses every method as unavailable and creates no new root', async (scratch) => {
    const root = join(scratch, 'media');
    const storage = await openStreaming(root);
    const staged = await stageText(storage, 'never published');
    await rm(root, { recursive: true });
    const works: (() => Promise<unknown>)[] = [
      () => stageText(storage, 'bytes'),
      () => storage.open(KEY),
      () => storage.purge(KEY),
    ];
    works.push(
      () => Array.fromAsync(storage.list()),
      () => storage.discardAbandoned(0),
      () => storage.check(),
    );
    for (const work of works) expect(await unavailableMessage(work())).toBe(UNAVAILABLE);
    expect(await outcomeOf(staged.publish(KEY))).toThrow();
    await staged.discard();
    expect(await readdir(scratch)).toEqual([]);
  });

  testInScratch('is also unavailable if an empty mount point replaces it', async (scratch) => {
    const root = join(scratch, 'media');
    const storage = await openStreaming(root);
    await rm(root, { recursive: true });
    await mkdir(root);
    for (const work of [() => storage.open(KEY), () => storage.purge(KEY), () => storage.check()]) {
      expect(await unavailableMessage(work())).toBe(UNAVAILABLE);
    }
  });
});
