import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { newId } from '@postshelf/testing/contracts/samples';
import { linkLatestFile } from '../../../src/filesystem/presign/presigned-files.ts';
import { StagingArea, type StagingFile } from '../../../src/filesystem/staging/staging-area.ts';
import { openFileStorage, readText, unavailableMessage } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
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

/** The number of rounds. Each is another chance for the calls to collide. */
const ROUNDS = 25;

const CHUNK = 70_000;
const PARTS = 4;

describe('two files for one id', () => {
  test.each([
    ['different', ['a', 'b']],
    ['the same', ['a', 'a']],
  ])('that are %s and received concurrently are both acknowledged, and one of them is stored whole', (_, letters) =>
    withScratch(async (root) => {
      const uploads = [await openUploads(root), await openUploads(root)];
      for (let round = 0; round < ROUNDS; round += 1) {
        const presigned = newUpload({ size: CHUNK * PARTS });
        const bodies = letters.map((letter) => bodyOf(...Array.from({ length: PARTS }, () => letter.repeat(CHUNK))));
        const outcomes = await Promise.all(uploads.map((each, at) => each.receive(presigned, bodies[at] ?? bodyOf())));
        expect(outcomes).toEqual(['kept', 'kept']);
        const taken = await uploads[0]?.take(presigned.id);
        const bytes = (await taken?.read(0, CHUNK * PARTS)) ?? new Uint8Array();
        expect(letters.map((letter) => letter.repeat(CHUNK * PARTS))).toContain(new TextDecoder().decode(bytes));
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(taken?.sha256 ?? '');
        await taken?.discard();
        await uploads[1]?.purge(presigned.id);
      }
      expect(await uploadEntries(root)).toEqual([]);
      expect(await stagedFiles(root)).toEqual([]);
    })(),
  );

  testInScratch('that overlap leave the one that ends later', async (root) => {
    const uploads = await openUploads(root);
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield* bodyOf('sl');
      begun.resolve();
      await end.promise;
      yield* bodyOf('ow');
    }
    const presigned = presignedFor('slow');
    const receiving = uploads.receive(presigned, slow());
    await begun.promise;
    expect(await uploads.take(presigned.id)).toBeNull();
    await receiveText(uploads, 'fast', presigned.id);
    expect(await takeText(uploads, presigned.id)).toBe('fast');
    end.resolve();
    expect(await receiving).toBe('kept');
    expect(await takeText(uploads, presigned.id)).toBe('slow');
    expect(await keptNames(root, presigned.id)).toHaveLength(1);
  });
});

testInScratch('the taken bytes are published even while other files are received', async (root) => {
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
});

describe('taking a file that is replaced or removed concurrently', () => {
  testInScratch('takes the replacing file, or none after the removal', async (root) => {
    const uploads = await openUploads(root);
    const staging = await StagingArea.open(root);
    const id = await receiveText(uploads, 'first');
    const changes = [() => receiveText(uploads, 'second', id), () => receiveText(uploads, 'third', id)];
    const linkFile = async (path: string): Promise<StagingFile | null> => {
      await changes.shift()?.();
      return staging.linkFile(path);
    };
    const taken = await linkLatestFile({ linkFile }, uploadFolder(root, id));
    expect(taken).toMatchObject({ size: 5, sha256: createHash('sha256').update('third').digest('hex') });
    expect(await Bun.file(taken?.path ?? '').text()).toBe('third');
    await taken?.handle.close();
    changes.push(async () => {
      await uploads.purge(id);
      return id;
    });
    expect(await linkLatestFile({ linkFile }, uploadFolder(root, id))).toBeNull();
    expect(await stagedFiles(root)).toEqual([taken?.path ?? '']);
  });

  testInScratch('is unavailable if the file is replaced in every attempt', async (root) => {
    const id = await receiveText(await openUploads(root), 'bytes');
    const taking = linkLatestFile({ linkFile: async () => null }, uploadFolder(root, id));
    expect(await unavailableMessage(taking)).toBe('The storage is unavailable.');
  });
});

testInScratch('an id has a file at every moment while its file is replaced', async (root) => {
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
});

testInScratch('a file that is received during a removal is either kept completely or removed', async (root) => {
  const [uploads, other] = [await openUploads(root), await openUploads(root)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await receiveText(uploads, 'before');
    await Promise.all([receiveText(uploads, 'after', id), other.purge(id), other.purge(id)]);
    expect([null, 'after']).toContain(await takeText(other, id));
    await other.purge(id);
  }
  expect(await uploadEntries(root)).toEqual([]);
});
