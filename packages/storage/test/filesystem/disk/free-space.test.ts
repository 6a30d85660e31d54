import { describe, expect, test } from 'bun:test';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type FreeSpace, Refusal } from '@postshelf/domain';
import { diskFreeSpace, whileSpaceIsFree } from '../../../src/filesystem/disk/free-space.ts';
import { openFileStorage, openStreaming, outcome, stageText } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import { openUploads, presignedFor, uploadEntries } from '../../support/uploads.ts';

/** More bytes than any disk has. */
const EVERYTHING = Number.MAX_SAFE_INTEGER;
const MIB = 1024 * 1024;
const LOW = { code: 'storage_low' } as const;

describe('the free space of a disk', () => {
  testInScratch('is the value of statfs, of which minFree must stay free', async (path) => {
    const { bavail, bsize } = await statfs(path);
    const free = await diskFreeSpace(path, 0).free();
    // Other processes write to this disk as well.
    expect(Math.abs(free - bavail * bsize)).toBeLessThan(1024 * MIB);
    expect(await diskFreeSpace(path, 1).has(0)).toBe(true);
    expect(await diskFreeSpace(path, 1).has(free * 2)).toBe(false);
    expect(await diskFreeSpace(path, free * 2).has(0)).toBe(false);
  });

  test(
    'is unlimited with a minFree of 0',
    withScratch(async (path) => expect(await diskFreeSpace(path, 0).has(EVERYTHING)).toBe(true)),
  );

  test('is unavailable if the path is missing', async () => {
    const gone = diskFreeSpace('/nowhere/at/all', 1);
    expect(await outcome(gone.has(0))).toMatchObject({ code: 'unavailable' });
    expect(await outcome(gone.reserve(1))).toMatchObject({ code: 'unavailable' });
  });

  testInScratch('excludes space reserved by others through any path to the disk', async (path) => {
    // Other processes write to this disk as well, but far less than a quarter of its free space.
    const share = Math.floor((await diskFreeSpace(path, 0).free()) / 4);
    const [one, two] = [diskFreeSpace(path, 2 * share), diskFreeSpace(join(path, '..'), 2 * share)];
    const release = await one.reserve(share);
    expect(await one.has(Math.floor(1.5 * share))).toBe(false);
    expect(await outcome(two.reserve(Math.floor(1.5 * share)))).toEqual(LOW);
    release();
    release();
    (await two.reserve(Math.floor(1.5 * share)))();
  });
});

describe('a storage with no space left', () => {
  testInScratch('refuses staging and leaves no file', async (root) => {
    const storage = await openStreaming(root, EVERYTHING);
    expect(await outcome(stageText(storage, 'bytes'))).toEqual(LOW);
    expect(await stagedFiles(root)).toEqual([]);
    await storage.check();
  });

  testInScratch('returns a body of which it has read the beginning', async (root) => {
    let isReturned = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(MIB);
      } finally {
        isReturned = true;
      }
    }
    const storage = await openFileStorage(root, EVERYTHING);
    expect(await outcome(storage.stage(body(), { limit: 10 * MIB }))).toEqual(LOW);
    expect(isReturned).toBe(true);
  });

  testInScratch('neither signs nor receives an upload', async (root) => {
    const full = await openUploads(root, { minFree: EVERYTHING });
    const presigned = presignedFor('bytes');
    expect(await outcome(full.address(presigned))).toEqual(LOW);
    expect(await outcome(full.receive(presigned, unread()))).toEqual(LOW);
    expect(await stagedFiles(root)).toEqual([]);
    expect(await uploadEntries(root)).toEqual([]);
  });
});

test('a body is refused soon after the space is used up', async () => {
  let received = 0;
  let [held, max] = [0, 0];
  const space: Pick<FreeSpace, 'reserve'> = {
    async reserve(bytes) {
      if (received + held + bytes > 20 * MIB) throw new Refusal(LOW);
      held += bytes;
      max = Math.max(max, held);
      let own = bytes;
      return () => {
        held -= own;
        own = 0;
      };
    },
  };
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < 64; chunk += 1) yield new Uint8Array(MIB);
  };
  const reading = async (): Promise<void> => {
    for await (const chunk of whileSpaceIsFree(space, body())) received += chunk.byteLength;
  };
  const thrown = await reading().catch((error: unknown) => error);
  expect((thrown as Refusal).problem).toEqual(LOW);
  // No byte was written without a reservation, and no reservation is left.
  expect(received).toBeWithin(8 * MIB, 20 * MIB + 1);
  expect({ held, max }).toEqual({ held: 0, max: 8 * MIB });
});

// biome-ignore lint/correctness/useYield: reading this body must fail.
async function* unread(): AsyncGenerator<Uint8Array> {
  throw new Error('The body was read.');
}
