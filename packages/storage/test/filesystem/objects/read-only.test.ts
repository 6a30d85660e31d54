import { expect } from 'bun:test';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openFileStorage, readFileStorage } from '../../../src/index.ts';
import { KEY, publishText, readText, unavailableMessage } from '../../support/objects.ts';
import { makeScratch, testInScratch } from '../../support/scratch.ts';

testInScratch('reads what a storage keeps, and leaves nothing behind', async (directory) => {
  await publishText(await openFileStorage(directory), KEY, 'the bytes');
  const before = await readdir(directory, { recursive: true });
  const storage = await readFileStorage(directory);
  const found = await storage.open(KEY);
  expect(found?.size).toBe(9);
  expect(await new Response(found?.body()).text()).toBe('the bytes');
  expect(await new Response(found?.body({ start: 4, end: 6 })).text()).toBe('byt');
  expect(await storage.open(KEY.replace('photo', 'other'))).toBeNull();
  expect((await readdir(directory, { recursive: true })).sort()).toEqual(before.sort());
});

testInScratch('follows no link, and takes no key that leads elsewhere', async (directory) => {
  const { directory: elsewhere, remove } = await makeScratch();
  const other = await openFileStorage(elsewhere);
  await publishText(other, KEY, 'secret');
  expect(await readText(other, KEY)).toBe('secret');
  await mkdir(dirname(dirname(join(directory, KEY))), { recursive: true });
  await symlink(dirname(join(elsewhere, KEY)), dirname(join(directory, KEY)));
  const storage = await readFileStorage(directory);
  expect(await storage.open(KEY)).toBeNull();
  await expect(storage.open('../../etc/passwd')).rejects.toThrow('Not the key');
  await remove();
});

testInScratch(
  'is refused where there is no directory, which is not made, and is unavailable once it is gone',
  async (directory) => {
    const root = join(directory, 'media');
    await expect(readFileStorage(root)).rejects.toThrow(`There is no folder ${root}`);
    expect(await readdir(directory)).toEqual([]);
    await mkdir(root);
    const storage = await readFileStorage(root);
    await rename(root, join(directory, 'away'));
    expect(await unavailableMessage(storage.open(KEY))).toBe('The storage is unavailable.');
  },
);
