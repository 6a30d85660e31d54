import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newId } from '@postshelf/testing/contracts/samples';
import { openFileStorage } from '../../../src/index.ts';
import { ITEM, KEY, publishText, readText, WORKSPACE } from '../../support/objects.ts';
import { startProcess } from '../../support/other-process.ts';
import { withScratch } from '../../support/scratch.ts';
import { stagedFiles, stagingEntries, tellsWhoLives } from '../../support/staging.ts';
import { openUploads, receiveText, uploadFolder } from '../../support/uploads.ts';

const HOUR = 60 * 60 * 1000;
const BYTES = Buffer.from('whole').toString('base64');

describe.skipIf(!tellsWhoLives)('another process (needs /proc)', () => {
  test(
    'that is staging is left alone, however old its bytes; once it is killed they go at once, and its directory',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const other = await startProcess('stage-and-wait.ts', root);
      try {
        expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
        const [staged = '', ...more] = await stagedFiles(root);
        expect(more).toEqual([]);
        expect(Bun.file(staged).size).toBeGreaterThan(0);
      } finally {
        await other.kill();
      }
      expect(await Array.fromAsync(storage.list())).toEqual([]);
      expect(await storage.sweepStaging(0)).toBe(1);
      expect(await stagingEntries(root)).toEqual([]);
    }),
  );

  test(
    'between publishing and discarding keeps its object unsettled; once it is killed the sweep settles it, whole',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const other = await startProcess('publish-and-wait.ts', root, BYTES, KEY);
      try {
        expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
        expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: false }]);
      } finally {
        await other.kill();
      }
      expect(await storage.sweepStaging(0)).toBe(0);
      expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: true }]);
      expect(await stagingEntries(root)).toEqual([]);
      expect(await readText(storage, KEY)).toBe('whole');
    }),
  );

  test(
    'that is killed after its object was removed leaves nothing that stays',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const other = await startProcess('publish-and-wait.ts', root, BYTES, KEY);
      await storage.remove(KEY);
      await other.kill();
      expect(await storage.sweepStaging(0)).toBe(1);
      expect(await stagingEntries(root)).toEqual([]);
    }),
  );
});

test(
  'directories that kill -9 left before link(2) can still be published to',
  withScratch(async (root) => {
    const storage = await openFileStorage(root);
    await mkdir(join(root, dirname(KEY)), { recursive: true });
    await publishText(storage, KEY, 'bytes');
    expect(await readText(storage, KEY)).toBe('bytes');
  }),
);

test(
  'directories that kill -9 left empty go when objects and uploads are listed; those in use stay',
  withScratch(async (root) => {
    const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
    await publishText(storage, KEY, 'bytes');
    const waiting = await receiveText(uploads, 'bytes');
    const left = [join(root, WORKSPACE, newId()), uploadFolder(root, newId())];
    for (const path of left) await mkdir(path);
    expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY }]);
    expect(await Array.fromAsync(uploads.list())).toMatchObject([{ id: waiting }]);
    for (const path of left) expect(existsSync(path)).toBe(false);
    expect(await readdir(join(root, WORKSPACE))).toEqual([ITEM]);
  }),
);

test(
  'listing beside publishing takes no directory away from it',
  withScratch(async (root) => {
    const storage = await openFileStorage(root);
    const keys = Array.from({ length: 100 }, () => `${WORKSPACE}/${newId()}/photo.jpg`);
    let isOver = false;
    const lists = async (): Promise<void> => {
      while (!isOver) await Array.fromAsync(storage.list());
    };
    const listing = lists();
    await Promise.all(keys.map((key) => publishText(storage, key, key)));
    isOver = true;
    await listing;
    expect((await Array.fromAsync(storage.list())).map(({ key }) => key).sort()).toEqual(keys.sort());
  }),
);
