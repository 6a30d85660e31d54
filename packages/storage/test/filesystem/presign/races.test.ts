import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { newId } from '@postshelf/testing/contracts/samples';
import { linkLatestFile } from '../../../src/filesystem/presign/presigned-files.ts';
import { StagingArea, type StagingFile } from '../../../src/filesystem/staging/staging-area.ts';
import { openFileStorage } from '../../../src/index.ts';
import { KEY, readText, unavailableMessage } from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import {
  bodyOf,
  keptNames,
  openUploads,
  presignedFor,
  receiveText,
  takeText,
  uploadEntries,
  uploadFolder,
} from '../../support/uploads.ts';

/** Each round is another chance for the calls to meet at a bad moment. */
const ROUNDS = 25;

const CHUNK = 70_000;
const PARTS = 4;

/** A body of one letter, so that a mix would show. */
const partsOf = (letter: string): string[] => Array.from({ length: PARTS }, () => letter.repeat(CHUNK));

/** A body that says when its first part was taken in, and ends when it is told. */
function held(first: string, rest: string) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* bodyOf(first);
    begun.resolve();
    await end.promise;
    yield* bodyOf(rest);
  }
  return { body: body(), begun: begun.promise, end: end.resolve };
}

describe('two files for one id', () => {
  test(
    'at once: one of them counts, whole, and both are acknowledged',
    withScratch(async (root) => {
      const [one, two] = [await openUploads(root), await openUploads(root)];
      for (let round = 0; round < ROUNDS; round += 1) {
        const presigned = newUpload({ size: CHUNK * PARTS });
        const outcomes = await Promise.all([
          one.receive(presigned, bodyOf(...partsOf('a'))),
          two.receive(presigned, bodyOf(...partsOf('b'))),
        ]);
        expect(outcomes).toEqual(['kept', 'kept']);
        const taken = await one.take(presigned.id);
        const bytes = (await taken?.read(0, CHUNK * PARTS)) ?? new Uint8Array();
        expect(['a', 'b'].map((letter) => letter.repeat(CHUNK * PARTS))).toContain(new TextDecoder().decode(bytes));
        expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(taken?.sha256 ?? '');
        await taken?.discard();
        await two.remove(presigned.id);
      }
      expect(await uploadEntries(root)).toEqual([]);
      expect(await stagedFiles(root)).toEqual([]);
    }),
  );

  test(
    'the same at once: both are acknowledged, and it counts',
    withScratch(async (root) => {
      const [one, two] = [await openUploads(root), await openUploads(root)];
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = newId();
        await Promise.all([receiveText(one, 'same', id), receiveText(two, 'same', id), receiveText(one, 'same', id)]);
        expect(await takeText(two, id)).toBe('same');
      }
    }),
  );

  test(
    'one while the other is on its way: each counts from its end, and the later end stays',
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      const slow = held('sl', 'ow');
      const presigned = presignedFor('slow');
      const receiving = uploads.receive(presigned, slow.body);
      await slow.begun;
      expect(await uploads.take(presigned.id)).toBeNull();
      await receiveText(uploads, 'fast', presigned.id);
      expect(await takeText(uploads, presigned.id)).toBe('fast');
      slow.end();
      expect(await receiving).toBe('kept');
      expect(await takeText(uploads, presigned.id)).toBe('slow');
      expect(await keptNames(root, presigned.id)).toHaveLength(1);
    }),
  );
});

describe('bytes that were taken', () => {
  test(
    'are read and published as they were, though the upload is replaced and removed',
    withScratch(async (root) => {
      const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
      const id = await receiveText(uploads, 'taken');
      const taken = await uploads.take(id);
      await receiveText(uploads, 'later', id);
      await uploads.remove(id);
      expect(await Bun.file(taken?.path ?? '').text()).toBe('taken');
      await taken?.publish(KEY);
      await receiveText(uploads, 'latest', id);
      await taken?.discard();
      expect(await readText(storage, KEY)).toBe('taken');
      expect(await takeText(uploads, id)).toBe('latest');
    }),
  );

  test(
    'are what is published while others come',
    withScratch(async (root) => {
      const [storage, uploads, other] = [await openFileStorage(root), await openUploads(root), await openUploads(root)];
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = await receiveText(uploads, 'one');
        const key = `${newId()}/${id}/photo.jpg`;
        const confirm = async (): Promise<void> => {
          const taken = await uploads.take(id);
          const text = new TextDecoder().decode(await taken?.read(0, 9));
          await taken?.publish(key);
          await taken?.discard();
          expect(['one', 'two', 'three']).toContain(text);
          expect(await readText(storage, key)).toBe(text);
        };
        await Promise.all([receiveText(other, 'two', id), confirm(), receiveText(other, 'three', id)]);
        expect(['two', 'three']).toContain((await takeText(uploads, id)) ?? '');
      }
    }),
  );
});

describe('taking what is replaced in the very moment', () => {
  test(
    'takes what came in its place',
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      const id = await receiveText(uploads, 'first');
      const staging = await StagingArea.open(root);
      const later = ['second', 'third'];
      const linkFile = async (path: string): Promise<StagingFile | null> => {
        const text = later.shift();
        if (text) await receiveText(uploads, text, id);
        return staging.linkFile(path);
      };
      const taken = await linkLatestFile({ linkFile }, uploadFolder(root, id));
      expect(taken).toMatchObject({ size: 5, sha256: createHash('sha256').update('third').digest('hex') });
      await taken?.handle.close();
      expect(await Bun.file(taken?.path ?? '').text()).toBe('third');
    }),
  );

  test(
    'is given up when it goes on and on',
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      const id = await receiveText(uploads, 'bytes');
      const taking = linkLatestFile({ linkFile: async () => null }, uploadFolder(root, id));
      expect(await unavailableMessage(taking)).toBe('The storage is unavailable.');
    }),
  );

  test(
    'takes nothing where it was removed',
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      const id = await receiveText(uploads, 'bytes');
      const staging = await StagingArea.open(root);
      const linkFile = async (path: string): Promise<StagingFile | null> => {
        await uploads.remove(id);
        return staging.linkFile(path);
      };
      expect(await linkLatestFile({ linkFile }, uploadFolder(root, id))).toBeNull();
      expect(await stagedFiles(root)).toEqual([]);
    }),
  );
});

test(
  'an id that something came for is never without it while it is replaced',
  withScratch(async (root) => {
    const [uploads, other] = [await openUploads(root), await openUploads(root)];
    const id = await receiveText(uploads, '0');
    let isOver = false;
    const replacing = (async () => {
      for (let round = 1; round <= ROUNDS * 4; round += 1) await receiveText(other, `${round % 10}`, id);
      isOver = true;
    })();
    while (!isOver) {
      expect(await takeText(uploads, id)).toMatch(/^\d$/);
      expect(await Array.fromAsync(uploads.list())).toMatchObject([{ id }]);
    }
    await replacing;
    expect(await keptNames(root, id)).toHaveLength(1);
  }),
);

test(
  'a file that comes while others are removed is kept or removed, whole',
  withScratch(async (root) => {
    const [uploads, other] = [await openUploads(root), await openUploads(root)];
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await receiveText(uploads, 'before');
      await Promise.all([receiveText(uploads, 'after', id), other.remove(id), other.remove(id)]);
      expect([null, 'after']).toContain(await takeText(other, id));
      await other.remove(id);
    }
    expect(await uploadEntries(root)).toEqual([]);
  }),
);

test.skipIf(process.platform !== 'linux')(
  'no file descriptor is left behind',
  withScratch(async (root) => {
    const [storage, uploads] = [await openFileStorage(root), await openUploads(root)];
    const openDescriptors = (): number => readdirSync('/proc/self/fd').length;
    await receiveText(uploads, 'bytes');
    const before = openDescriptors();
    for (let count = 0; count < 50; count += 1) {
      const id = await receiveText(uploads, 'bytes');
      expect(await uploads.receive(presignedFor('other', id), bodyOf('longer'))).toBe('wrong_size');
      expect(await uploads.receive(presignedFor('other', id), bodyOf('less'))).toBe('wrong_size');
      const taken = await uploads.take(id);
      await taken?.publish(`${newId()}/${id}/photo.jpg`);
      await taken?.discard();
      await uploads.remove(id);
      expect(await uploads.take(id)).toBeNull();
      for await (const _ of uploads.list()) break;
    }
    expect(await Array.fromAsync(storage.list())).toHaveLength(50);
    expect(openDescriptors()).toBeLessThanOrEqual(before);
  }),
);
