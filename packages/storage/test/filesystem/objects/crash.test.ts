import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newId } from '@postshelf/testing/contracts/samples';
import { SILENCE } from '../../../src/filesystem/staging/discard-abandoned.ts';
import { OWN } from '../../../src/filesystem/staging/staging-area.ts';
import { HOUR, ITEM, KEY, openFileStorage, publishText, readText, WORKSPACE } from '../../support/objects.ts';
import { startProcess } from '../../support/processes.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { outlast, stagedFiles, stagingEntries } from '../../support/staging.ts';
import { openUploads, receiveText, uploadFolder } from '../../support/uploads.ts';

describe('another process', () => {
  testInScratch('keeps its staged files while it runs; they are discarded after a minute of silence', async (root) => {
    const storage = await openFileStorage(root);
    const other = await startProcess('stage-endless', root);
    try {
      expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
      const [staged = '', ...more] = await stagedFiles(root);
      expect(more).toEqual([]);
      expect(Bun.file(staged).size).toBeGreaterThan(0);
    } finally {
      await other.kill();
    }
    expect(await Array.fromAsync(storage.list())).toEqual([]);
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
    await outlast(root);
    expect(await storage.discardAbandoned(0)).toBe(1);
    expect(await stagingEntries(root)).toEqual([]);
  });

  testInScratch(
    'proves that it is alive by the time of its directory, and empty directories are removed',
    async (root) => {
      const storage = await openFileStorage(root);
      const other = await startProcess('stage-endless', root);
      try {
        await outlast(root);
        await publishText(storage, KEY, 'bytes');
        const [others = '', ...more] = (await stagingEntries(root)).filter((name) => name !== OWN);
        expect(more).toEqual([]);
        const age = async () => Date.now() - (await stat(join(root, '.staging', others))).mtimeMs;
        while ((await age()) > SILENCE || (await stagingEntries(root)).includes(OWN)) await Bun.sleep(100);
        expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
        expect(await stagedFiles(root)).toHaveLength(1);
        await publishText(storage, KEY.replace('photo', 'another'), 'bytes');
      } finally {
        await other.kill();
      }
    },
  );

  testInScratch(
    'killed after its object was removed leaves only files that are discarded as abandoned',
    async (root) => {
      const storage = await openFileStorage(root);
      const other = await startProcess('publish-and-wait', root, '', KEY);
      expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(0);
      expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: false }]);
      await storage.purge(KEY);
      await other.kill();
      await outlast(root);
      expect(await storage.discardAbandoned(0)).toBe(1);
      expect(await stagingEntries(root)).toEqual([]);
    },
  );
});

test.each([
  ['publishing into them', async (root: string) => publishText(await openFileStorage(root), KEY, 'bytes')],
  ['removing from them', async (root: string) => (await openFileStorage(root)).purge(KEY)],
])('empty directories of a killed publisher do not prevent %s', (_, work) =>
  withScratch(async (root) => {
    await mkdir(join(root, dirname(KEY)), { recursive: true });
    await work(root);
    const text = await readText(await openFileStorage(root), KEY);
    expect(await readdir(join(root, WORKSPACE))).toEqual(text === null ? [] : [ITEM]);
  })(),
);

testInScratch('listing removes empty directories of objects and uploads only', async (root) => {
  const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
  await publishText(storage, KEY, 'bytes');
  const waiting = await receiveText(uploads, 'bytes');
  const left = [join(root, WORKSPACE, newId()), uploadFolder(root, newId())];
  for (const path of left) await mkdir(path);
  expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY }]);
  expect(await Array.fromAsync(uploads.list())).toMatchObject([{ id: waiting }]);
  for (const path of left) expect(existsSync(path)).toBe(false);
  expect(await readdir(join(root, WORKSPACE))).toEqual([ITEM]);
});

testInScratch('listing removes no directory into which another call is publishing', async (root) => {
  const storage = await openFileStorage(root);
  const keys = Array.from({ length: 100 }, () => `${WORKSPACE}/${newId()}/photo.jpg`);
  let isOver = false;
  const listing = (async (): Promise<void> => {
    while (!isOver) await Array.fromAsync(storage.list());
  })();
  await Promise.all(keys.map((key) => publishText(storage, key, key)));
  isOver = true;
  await listing;
  expect((await Array.fromAsync(storage.list())).map(({ key }) => key).sort()).toEqual(keys.sort());
});
