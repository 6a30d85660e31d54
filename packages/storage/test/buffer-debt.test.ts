import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { openFileStorage } from '../src/index.ts';
import { withScratch } from './support/scratch.ts';

const MIB = 1024 * 1024;
const collect = spyOn(Bun, 'gc');

afterEach(() => {
  collect.mockClear();
});

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(MIB);
  for (let sent = 0; sent < count; sent += 1) yield chunk;
}

describe('receiving bodies', () => {
  test(
    'collects garbage once for each 32 MiB, whatever number of bodies they come in',
    withScratch(async (root) => {
      const storage = await openFileStorage(root);
      for (const size of [40, 8, 40, 8]) {
        const staged = await storage.stage(chunks(size), { limit: size * MIB });
        await staged.discard();
      }
      expect(collect).toHaveBeenCalledTimes(3);
      expect(collect).toHaveBeenCalledWith(true);
    }),
  );
});
