import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { openFileStorage } from '../../../src/index.ts';
import { KEY, publishText, stageText } from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';

const MANY = 2000;
const LARGE = 32 * 1024 * 1024;

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

describe.skipIf(process.platform !== 'linux')('file descriptors (counted on Linux alone)', () => {
  test(
    `none is held by ${MANY} objects that were opened and never read`,
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      await publishText(storage, KEY, 'bytes');
      const before = openDescriptors();
      const held: unknown[] = [];
      for (let count = 0; count < MANY; count += 1) {
        const stored = await storage.open(KEY);
        held.push(stored, stored?.body(), stored?.body({ start: 1, end: 3 }));
      }
      expect(held).toHaveLength(3 * MANY);
      expect(openDescriptors()).toBeLessThanOrEqual(before);
    }),
  );

  test(
    'none is left by staging that fails, by publishing, discarding or refusing',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      await publishText(storage, KEY, 'taken');
      const before = openDescriptors();
      for (let count = 0; count < 50; count += 1) {
        await expect(storage.stage(broken(), { limit: 100 })).rejects.toThrow('cut');
        await expect(storage.stage(broken(), { limit: 1 })).rejects.toThrow('longer');
        await publishText(storage, `${crypto.randomUUID()}/${crypto.randomUUID()}/a.jpg`, 'bytes');
        const staged = await stageText(storage, 'bytes');
        await expect(staged.publish(KEY)).rejects.toThrow();
        await staged.discard();
        await storage.check();
      }
      expect(openDescriptors()).toBeLessThanOrEqual(before);
      expect(await stagedFiles(root)).toEqual([]);
    }),
  );

  test(
    'none is left by lists broken off',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      await publishText(storage, KEY, 'bytes');
      const before = openDescriptors();
      for (let count = 0; count < 50; count += 1) for await (const _ of storage.list()) break;
      expect(openDescriptors()).toBeLessThanOrEqual(before);
    }),
  );
});

describe('a response', () => {
  test(
    'sends an object whole that is removed while it is on its way',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      const bytes = new Uint8Array(LARGE).map((_, index) => index % 251);
      const staged = await storage.stage(once(bytes), { limit: LARGE });
      await staged.publish(KEY);
      await staged.discard();
      const server = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: async () => new Response((await storage.open(KEY))?.body({ start: 1, end: LARGE - 1 })),
      });
      try {
        const response = await fetch(server.url);
        await storage.remove(KEY);
        const received = await response.bytes();
        expect(Buffer.from(received).equals(bytes.subarray(1))).toBe(true);
        expect(await storage.open(KEY)).toBeNull();
      } finally {
        await server.stop(true);
      }
    }),
  );
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(10);
  throw new Error('cut');
}
