import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { newId } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { KEY, openFileStorage, publishText, stageText } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import { bodyOf, openUploads, presignedFor, receiveText } from '../../support/uploads.ts';

const LARGE = 32 * 1024 * 1024;

async function* broken(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(10);
  throw new Error('cut');
}

/** Operations on a storage with one object, each with its number of repeats. No operation should leave a file open. */
const WORKS: readonly (readonly [string, number, (root: string) => Promise<unknown>])[] = [
  [
    'opening objects that are never read',
    2000,
    async (root) => {
      const stored = await (await openFileStorage(root)).open(KEY);
      return [stored, stored?.body(), stored?.body({ start: 1, end: 3 })];
    },
  ],
  [
    'staging that fails, publishing, discarding and refusing',
    50,
    async (root) => {
      const storage = await openFileStorage(root);
      expect(await outcomeOf(storage.stage(broken(), { limit: 100 }))).toThrow('cut');
      expect(await outcomeOf(storage.stage(broken(), { limit: 1 }))).toThrow('longer');
      await publishText(storage, `${newId()}/${newId()}/a.jpg`, 'bytes');
      const staged = await stageText(storage, 'bytes');
      expect(await outcomeOf(staged.publish(KEY))).toThrow();
      await staged.discard();
      await storage.check();
      for await (const _ of storage.list()) break;
    },
  ],
  [
    'receiving, taking and removing uploads',
    50,
    async (root) => {
      const uploads = await openUploads(root);
      const id = await receiveText(uploads, 'bytes');
      for (const text of ['longer', 'less']) {
        expect(await uploads.receive(presignedFor('other', id), bodyOf(text))).toBe('wrong_size');
      }
      const taken = await uploads.take(id);
      await taken?.publish(`${newId()}/${id}/photo.jpg`);
      await taken?.discard();
      await uploads.purge(id);
      expect(await uploads.take(id)).toBeNull();
      for await (const _ of uploads.list()) break;
    },
  ],
];

describe.skipIf(process.platform !== 'linux')('file descriptors (counted on Linux only)', () => {
  test.each(WORKS)('are all closed after %s', (_, times, work) =>
    withScratch(async (root) => {
      await publishText(await openFileStorage(root), KEY, 'bytes');
      await receiveText(await openUploads(root), 'bytes');
      const openDescriptors = (): number => readdirSync('/proc/self/fd').length;
      const before = openDescriptors();
      const held: unknown[] = [];
      for (let count = 0; count < times; count += 1) held.push(await work(root));
      expect(openDescriptors()).toBeLessThanOrEqual(before);
      expect(held).toHaveLength(times);
      expect(await stagedFiles(root)).toEqual([]);
    })(),
  );
});

testInScratch('a response sends an object completely, even if it is removed meanwhile', async (root) => {
  const storage = await openFileStorage(root);
  const bytes = new Uint8Array(LARGE).map((_, index) => index % 251);
  const staged = await storage.stage(bodyOfBytes(bytes), { limit: LARGE });
  await staged.publish(KEY);
  await staged.discard();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async () => new Response((await storage.open(KEY))?.body({ start: 1, end: LARGE - 1 })),
  });
  try {
    const response = await fetch(server.url);
    await storage.purge(KEY);
    expect(Buffer.from(await response.bytes()).equals(bytes.subarray(1))).toBe(true);
    expect(await storage.open(KEY)).toBeNull();
  } finally {
    await server.stop(true);
  }
});

async function* bodyOfBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
