import { describe, expect, test } from 'bun:test';
import { statfs } from 'node:fs/promises';
import type { Refusal } from '@postshelf/domain';
import { diskFreeSpace, type FreeSpace, whileSpaceIsFree } from '../../../src/filesystem/disk/free-space.ts';
import { openFileStorage } from '../../../src/index.ts';
import { outcome, stageText } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import { openUploads, presignedFor, uploadEntries } from '../../support/uploads.ts';

/** More than any disk has. */
const EVERYTHING = Number.MAX_SAFE_INTEGER;
const MIB = 1024 * 1024;
const LOW = { code: 'storage_low' } as const;

describe('the free space of a disk', () => {
  testInScratch('is what statfs says, less what is to stay free', async (path) => {
    const { bavail, bsize } = await statfs(path);
    const free = await diskFreeSpace(path, 0).free();
    // Others write to this disk too.
    expect(Math.abs(free - bavail * bsize)).toBeLessThan(1024 * MIB);
    expect(await diskFreeSpace(path, 1).has(0)).toBe(true);
    expect(await diskFreeSpace(path, 1).has(free * 2)).toBe(false);
    expect(await diskFreeSpace(path, free * 2).has(0)).toBe(false);
  });

  test(
    'is unlimited where nothing is to stay free',
    withScratch(async (path) => expect(await diskFreeSpace(path, 0).has(EVERYTHING)).toBe(true)),
  );

  test('is unavailable where the path is gone', async () => {
    expect(await outcome(diskFreeSpace('/nowhere/at/all', 1).has(0))).toMatchObject({ code: 'unavailable' });
  });
});

describe('with no space left', () => {
  testInScratch('staging is refused and leaves no file', async (root) => {
    const storage = await openFileStorage(root, EVERYTHING);
    expect(await outcome(stageText(storage, 'bytes'))).toEqual(LOW);
    expect(await stagedFiles(root)).toEqual([]);
    await storage.check();
  });

  testInScratch('no upload is signed or received', async (root) => {
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
  const space: FreeSpace = { free: async () => 0, has: async (bytes) => received + bytes <= 20 * MIB };
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < 64; chunk += 1) yield new Uint8Array(MIB);
  };
  const reading = async (): Promise<void> => {
    for await (const chunk of whileSpaceIsFree(space, body())) received += chunk.byteLength;
  };
  const thrown = await reading().catch((error: unknown) => error);
  expect((thrown as Refusal).problem).toEqual(LOW);
  expect(received).toBeWithin(20 * MIB, 28 * MIB);
});

// biome-ignore lint/correctness/useYield: it is there to fail when it is read.
async function* unread(): AsyncGenerator<Uint8Array> {
  throw new Error('The body was read.');
}
