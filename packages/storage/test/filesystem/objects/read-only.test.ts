import { expect } from 'bun:test';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { readFileStorage } from '../../../src/index.ts';
import { KEY, openFileStorage, publishText, unavailableMessage } from '../../support/objects.ts';
import { testInScratch } from '../../support/scratch.ts';

testInScratch('a read-only storage reads objects and creates no file', async (directory) => {
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

testInScratch('a read-only storage refuses keys that point outside the root', async (directory) => {
  expect(await outcomeOf((await readFileStorage(directory)).open('../../etc/passwd'))).toThrow('Not the key');
});

testInScratch(
  'a read-only storage is refused without its directory and unavailable once it is missing',
  async (directory) => {
    const root = join(directory, 'media');
    expect(await outcomeOf(readFileStorage(root))).toThrow(`There is no folder ${root}`);
    expect(await readdir(directory)).toEqual([]);
    await mkdir(root);
    const storage = await readFileStorage(root);
    await rename(root, join(directory, 'away'));
    expect(await unavailableMessage(storage.open(KEY))).toBe('The storage is unavailable.');
  },
);
