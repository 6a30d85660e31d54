import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@postshelf/testing/contracts/samples';
import { openFileStorage } from '../../../src/index.ts';
import { KEY, readText } from '../../support/objects.ts';
import { startProcess } from '../../support/other-process.ts';
import { withScratch } from '../../support/scratch.ts';
import { stagedFiles, stagingEntries, tellsWhoLives } from '../../support/staging.ts';
import { keptNames, openUploads, receiveText, takeText, uploadEntries, uploadFolder } from '../../support/uploads.ts';

const HOUR = 60 * 60 * 1000;

describe.skipIf(!tellsWhoLives)('a process that is killed (needs /proc)', () => {
  test(
    'while it receives keeps nothing, and what it has staged is swept',
    withScratch(async (root) => {
      const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
      const id = newId();
      const other = await startProcess('receive-and-wait.ts', root, id);
      try {
        expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
        expect(await stagedFiles(root)).toHaveLength(1);
      } finally {
        await other.kill();
      }
      expect(await uploads.take(id)).toBeNull();
      expect(await uploadEntries(root)).toEqual([]);
      expect(await storage.sweepStaging(0)).toBe(1);
      expect(await stagingEntries(root)).toEqual([]);
    }),
  );

  test(
    'while it receives leaves what came before',
    withScratch(async (root) => {
      const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
      const id = await receiveText(uploads, 'before');
      await (await startProcess('receive-and-wait.ts', root, id)).kill();
      expect(await storage.sweepStaging(0)).toBe(1);
      expect(await takeText(uploads, id)).toBe('before');
    }),
  );

  test(
    'after it took leaves the upload in place; its own name for it is swept, not the bytes',
    withScratch(async (root) => {
      const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
      const id = await receiveText(uploads, 'acknowledged');
      const other = await startProcess('take-and-wait.ts', root, id);
      try {
        expect(await storage.sweepStaging(Date.now() + HOUR)).toBe(0);
        expect(await stagedFiles(root)).toHaveLength(1);
      } finally {
        await other.kill();
      }
      expect(await storage.sweepStaging(0)).toBe(0);
      expect(await stagedFiles(root)).toEqual([]);
      expect(await takeText(uploads, id)).toBe('acknowledged');
    }),
  );

  test(
    'after it published leaves upload and object; the object is settled by sweep and removal, and may be made anew',
    withScratch(async (root) => {
      const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
      const id = await receiveText(uploads, 'acknowledged');
      await (await startProcess('take-and-wait.ts', root, id, KEY)).kill();
      expect(await readText(storage, KEY)).toBe('acknowledged');
      await storage.remove(KEY);
      const again = await uploads.take(id);
      await again?.publish(KEY);
      await again?.discard();
      await storage.sweepStaging(0);
      await uploads.remove(id);
      expect(await readText(storage, KEY)).toBe('acknowledged');
      expect(await Array.fromAsync(storage.list())).toMatchObject([{ key: KEY, isSettled: true }]);
      expect((await lstat(join(root, KEY))).nlink).toBe(1);
    }),
  );
});

test(
  'files that a crash left beside the last one count for nothing, and go with the next',
  withScratch(async (root) => {
    const uploads = await openUploads(root);
    const id = await receiveText(uploads, 'first');
    for (const [order, text] of [
      [9, 'ninth'],
      [10, 'tenth'],
    ] as const) {
      const sha256 = createHash('sha256').update(text).digest('hex');
      await writeFile(join(uploadFolder(root, id), `${order}.${sha256}`), text);
    }
    expect(await takeText(uploads, id)).toBe('tenth');
    await receiveText(uploads, 'last', id);
    expect(await keptNames(root, id)).toEqual([expect.stringMatching(/^11\./)]);
    expect(await takeText(uploads, id)).toBe('last');
  }),
);
