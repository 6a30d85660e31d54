import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { link, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStorage, Trash } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { testsThatNeed } from '@postshelf/testing/programs';
import { openFiles } from '../../../src/index.ts';
import { ITEM, KEY, publishText, readText, WORKSPACE } from '../../support/objects.ts';
import { requireOrder, traceCalls } from '../../support/processes.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';

const THEN = 1_790_000_000_000;

interface Opened {
  readonly root: string;
  readonly storage: ObjectStorage;
  readonly trash: Trash;
}

const withTrash = (run: (opened: Opened) => Promise<void>) =>
  withScratch(async (scratch) => {
    const root = join(scratch, 'root');
    await run({ root, ...(await openFiles(root)) });
  });

const testInTrash = (title: string, run: (opened: Opened) => Promise<void>): void => test(title, withTrash(run));

const listed = (trash: Trash) => Array.fromAsync(trash.list());

describe('the folders of the trash', () => {
  testInTrash(
    'are created with the first object in mode 0700 and removed with the last',
    async ({ root, storage, trash }) => {
      await publishText(storage, KEY, 'bytes');
      expect(existsSync(join(root, '.trash'))).toBe(false);
      await trash.add(KEY, THEN);
      const kept = join(root, '.trash', String(THEN), KEY);
      expect(await readFile(kept, 'utf8')).toBe('bytes');
      for (let folder = dirname(kept); folder !== root; folder = dirname(folder)) {
        expect((await lstat(folder)).mode & 0o777).toBe(0o700);
      }
      // The item's folder is removed with its object, while the workspace's folder always stays.
      expect(await readdir(join(root, WORKSPACE))).toEqual([]);
      await trash.restore({ key: KEY, trashedAt: THEN });
      expect(existsSync(join(root, '.trash'))).toBe(false);
      await trash.add(KEY, THEN);
      expect(await trash.purgeBefore(THEN + 1)).toBe(1);
      expect(existsSync(join(root, '.trash'))).toBe(false);
    },
  );

  testInTrash(
    'left empty by a killed process do no harm and are removed when the trash is emptied',
    async ({ root, storage, trash }) => {
      await publishText(storage, KEY, 'bytes');
      const left = join(root, '.trash', String(THEN), WORKSPACE, ITEM);
      await mkdir(left, { recursive: true });
      expect(await listed(trash)).toEqual([]);
      expect(await trash.purgeBefore(THEN + 1)).toBe(0);
      await rm(join(root, '.trash'), { recursive: true });
      await mkdir(join(root, '.trash', String(THEN)), { recursive: true });
      expect(await trash.purgeBefore(THEN + 1)).toBe(0);
      expect(existsSync(join(root, '.trash'))).toBe(false);
      await mkdir(left, { recursive: true });
      expect(await trash.add(KEY, THEN)).toBe(true);
      expect(await listed(trash)).toHaveLength(1);
    },
  );

  testInTrash('may contain foreign files, which are ignored and stay', async ({ root, storage, trash }) => {
    await publishText(storage, KEY, 'bytes');
    await trash.add(KEY, THEN);
    const folder = join(root, '.trash', String(THEN));
    const foreign = [
      join(root, '.trash/notes.txt'),
      join(root, '.trash/007', KEY),
      join(root, '.trash/-1', KEY),
      join(root, '.trash/1e3', KEY),
      join(root, '.trash/99999999999999999999', KEY),
      join(folder, 'notes.txt'),
      join(folder, 'workspace', ITEM, 'photo.jpg'),
      join(folder, WORKSPACE, 'notes.txt'),
      join(folder, WORKSPACE, ITEM, 'folder', 'photo.jpg'),
    ];
    for (const path of foreign) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'foreign');
    }
    expect(await listed(trash)).toEqual([{ key: KEY, size: 5, trashedAt: THEN }]);
    expect(await trash.purgeBefore(Number.MAX_SAFE_INTEGER)).toBe(1);
    for (const path of foreign) expect(await readFile(path, 'utf8')).toBe('foreign');
  });
});

test.each([
  ['the trash', '.trash'],
  ['the directory of a time in the trash', `.trash/${THEN}`],
  ['a workspace in the trash', `.trash/${THEN}/${WORKSPACE}`],
  ['an item in the trash', `.trash/${THEN}/${WORKSPACE}/${ITEM}`],
])('a symbolic link in place of %s is not followed by listing, emptying, restoring or adding', (_, place) =>
  withTrash(async ({ root, storage, trash }) => {
    const outside = join(dirname(root), 'outside');
    const secret = join(outside, join('.trash', String(THEN), KEY).slice(place.length + 1));
    for (const path of [secret, join(root, place)]) await mkdir(dirname(path), { recursive: true });
    await writeFile(secret, 'secret');
    await symlink(outside, join(root, place));
    expect(await listed(trash)).toEqual([]);
    expect(await trash.purgeBefore(Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(await trash.restore({ key: KEY, trashedAt: THEN })).toBe('not_in_trash');
    const other = KEY.replace('photo.jpg', 'other.jpg');
    await publishText(storage, other, 'mine');
    expect(await outcomeOf(trash.add(other, THEN))).toThrow('must be a directory');
    expect(await readText(storage, other)).toBe('mine');
    expect(await readFile(secret, 'utf8')).toBe('secret');
    expect(await readdir(dirname(secret))).toEqual(['photo.jpg']);
  })(),
);

testInTrash(
  'links are neither moved to the trash in place of an object nor restored from it',
  async ({ root, storage, trash }) => {
    const secret = join(dirname(root), 'secret');
    await writeFile(secret, 'secret');
    for (const path of [join(root, KEY), join(root, '.trash', String(THEN), KEY)]) {
      await mkdir(dirname(path), { recursive: true });
      await symlink(secret, path);
    }
    expect(await trash.add(KEY, THEN)).toBe(false);
    expect(await listed(trash)).toEqual([]);
    expect(await trash.restore({ key: KEY, trashedAt: THEN })).toBe('not_in_trash');
    expect(await trash.purgeBefore(Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(await readFile(secret, 'utf8')).toBe('secret');
    expect(await storage.open(KEY)).toBeNull();
  },
);

testInTrash(
  'after a kill during a restore, the object exists, and emptying the trash leaves it',
  async ({ root, storage, trash }) => {
    await publishText(storage, KEY, 'bytes');
    await trash.add(KEY, THEN);
    // The file already has its second name, and still has its first one in the trash.
    await mkdir(dirname(join(root, KEY)), { recursive: true });
    await link(join(root, '.trash', String(THEN), KEY), join(root, KEY));
    expect(await readText(storage, KEY)).toBe('bytes');
    expect(await trash.restore({ key: KEY, trashedAt: THEN })).toBe('object_there');
    const freed: number[] = [];
    expect(await trash.purgeBefore(THEN + 1, (bytes) => freed.push(bytes))).toBe(1);
    expect(freed).toEqual([]);
    expect(await readText(storage, KEY)).toBe('bytes');
    expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: true }]);
  },
);

testInTrash(
  'an object of a killed publisher is moved to the trash completely, even if its staged name is removed',
  async ({ root, storage, trash }) => {
    await publishText(storage, KEY, 'bytes');
    const other = join(root, '.staging', 'other');
    await link(join(root, KEY), other);
    await trash.add(KEY, THEN);
    await rm(other);
    await trash.restore({ key: KEY, trashedAt: THEN });
    expect(await readText(storage, KEY)).toBe('bytes');
  },
);

testInTrash('a missing root has an empty trash and is not created', async ({ root, trash }) => {
  await rm(root, { recursive: true });
  expect(await listed(trash)).toEqual([]);
  expect(await trash.purgeBefore(THEN)).toBe(0);
  expect(await trash.add(KEY, THEN)).toBe(false);
  expect(await trash.restore({ key: KEY, trashedAt: THEN })).toBe('not_in_trash');
  expect(existsSync(root)).toBe(false);
});

testsThatNeed(['strace'], 'the order of system calls of the trash').describe('the order of system calls', () => {
  testInScratch(
    'syncs directories before a move to the trash, and the new name before the old one is removed',
    async (scratch) => {
      const root = join(scratch, 'root');
      const { indexOf, synced } = await traceCalls(join(scratch, 'trace'), 'set-aside-and-bring-back', root);
      const [trash, workspace] = [`${root}/.trash`, `${root}/${WORKSPACE}`];
      const place = `${trash}/1000/${KEY}`;
      const renamed = indexOf('rename', `${root}/${KEY}`);
      const emptied = indexOf('rmdir', `${workspace}/${ITEM}`, renamed);
      const linked = indexOf('link', place, emptied);
      const unlinked = indexOf('unlink', place, linked);
      requireOrder(renamed, emptied, linked, unlinked);
      expect(synced(0, renamed)).toEqual(
        expect.arrayContaining([root, trash, `${trash}/1000`, `${trash}/1000/${WORKSPACE}`]),
      );
      expect(synced(renamed, emptied)).toContain(`${trash}/1000/${WORKSPACE}/${ITEM}`);
      expect(synced(emptied, linked)).toContain(workspace);
      // The root isn't synced again, because the name of the workspace's directory was synced when the object was
      // published.
      expect(synced(linked, unlinked)).toEqual(expect.arrayContaining([workspace, `${workspace}/${ITEM}`]));
    },
  );
});
