import { describe, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { LimitExceeded } from '@postshelf/domain';
import { outcomeOf, thrownBy } from '../../outcomes.ts';
import {
  inChunks,
  later,
  listKeys,
  newKey,
  type OpenStorages,
  readBody,
  sampleBytes,
  stageBytes,
  testStorages,
} from './samples.ts';

export function describeStaging(open: OpenStorages): void {
  describe('staging', () => {
    testStorages(open, 'receives any number of bytes, and returns their size and hash', async ({ one }) => {
      for (const length of [0, 1, 999, 1000, 1001, 300_000]) {
        const bytes = sampleBytes(length);
        const staged = await stageBytes(one, bytes);
        expect(staged.size).toBe(length);
        expect(staged.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(await staged.read(0, length)).toEqual(bytes);
        if (staged.path !== undefined) expect(await readBody(Bun.file(staged.path))).toEqual(bytes);
        await staged.discard();
      }
    });

    testStorages(open, 'receives chunks of any size, each valid only until the next one', async ({ one }) => {
      const bytes = sampleBytes(70_000);
      async function* uneven(): AsyncGenerator<Uint8Array> {
        for (const [start, end] of [
          [0, 0],
          [0, 1],
          [1, 66_000],
          [66_000, 66_000],
          [66_000, 70_000],
        ] as const) {
          const lent = bytes.slice(start, end);
          yield lent;
          structuredClone(null, { transfer: [lent.buffer] });
        }
      }
      const staged = await one.stage(uneven(), { limit: 70_000 });
      expect(await staged.read(0, 70_000)).toEqual(bytes);
      await staged.discard();
    });

    testStorages(open, 'reads from any offset, fewer bytes at the end and none past it', async ({ one }) => {
      const bytes = sampleBytes(5000);
      const staged = await stageBytes(one, bytes);
      const reads: [number, number][] = [
        [0, 10],
        [995, 10],
        [4990, 10],
        [4990, 11],
        [4990, 2 ** 40],
        [5000, 1],
        [9000, 10],
        [100, 0],
      ];
      for (const [offset, length] of reads) {
        expect(await staged.read(offset, length)).toEqual(bytes.slice(offset, offset + length));
      }
      const together = await Promise.all(reads.map(([offset, length]) => staged.read(offset, length)));
      expect(together).toEqual(reads.map(([offset, length]) => bytes.slice(offset, offset + length)));
      await staged.discard();
    });

    testStorages(open, 'refuses a body that is longer than its limit, by a byte or by far', async ({ one }) => {
      for (const [length, limit] of [
        [5000, 4999],
        [1, 0],
        [1000, 10],
      ] as const) {
        expect(await thrownBy(one.stage(inChunks(sampleBytes(length)), { limit }))).toBeInstanceOf(LimitExceeded);
        expect(await one.discardAbandoned(later())).toBe(0);
      }
    });

    testStorages(open, 'stops reading at the limit, and releases the body', async ({ one }) => {
      let requested = 0;
      let released = false;
      async function* endless(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) {
            requested += 1;
            yield new Uint8Array(1000);
          }
        } finally {
          released = true;
        }
      }
      expect(await thrownBy(one.stage(endless(), { limit: 10_000 }))).toBeInstanceOf(LimitExceeded);
      expect(await one.discardAbandoned(later())).toBe(0);
      expect({ requested, released }).toEqual({ requested: 11, released: true });
    });

    testStorages(
      open,
      'rethrows errors of the body, even if they look like its own, and keeps nothing',
      async ({ one }) => {
        for (const failure of [new Error('hung up'), Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })]) {
          async function* cut(): AsyncGenerator<Uint8Array> {
            yield sampleBytes(5000);
            throw failure;
          }
          const thrown = await one.stage(cut(), { limit: 10_000 }).catch((error: unknown) => error);
          expect(thrown).toBe(failure);
          expect(await one.discardAbandoned(later())).toBe(0);
        }
      },
    );

    testStorages(open, 'hides staged bytes, and allows discarding them twice', async ({ one, two }) => {
      const staged = await stageBytes(one, sampleBytes(10));
      for (const each of [one, two]) expect(await listKeys(each)).toEqual([]);
      await staged.discard();
      await staged.discard();
      expect(await outcomeOf(staged.publish(newKey()))).toThrow();
      expect(await listKeys(one)).toEqual([]);
      expect(await one.discardAbandoned(later())).toBe(0);
    });
  });
}
