import { describe, expect } from 'bun:test';
import { describeAbandoned } from './abandoned.ts';
import { HOSTILE_KEYS, UNUSUAL_KEYS } from './hostile-keys.ts';
import { describePublishing } from './publishing.ts';
import { describeReading } from './reading.ts';
import {
  later,
  listKeys,
  type OpenStorages,
  publishBytes,
  readObject,
  type StorageTraits,
  sampleBytes,
  stageBytes,
  testStorages,
} from './samples.ts';
import { describeStaging } from './staging.ts';

/** The contract of {@link ObjectStorage}. `open` returns a new empty storage. */
export function describeObjectStorage(name: string, traits: StorageTraits, open: OpenStorages): void {
  describe(`${name} as an object storage`, () => {
    describeStaging(open);
    describePublishing(open, traits);
    describeAbandoned(open, traits);
    describeReading(open);

    describe('keys', () => {
      testStorages(open, 'are refused unless they are valid object keys', async ({ one }) => {
        const staged = await stageBytes(one, sampleBytes(10));
        for (const [wrong, key] of HOSTILE_KEYS)
          for (const work of [() => staged.publish(key), () => one.open(key), () => one.purge(key)])
            expect([wrong, await isRefused(work)]).toEqual([wrong, true]);
        await staged.discard();
        expect(await listKeys(one)).toEqual([]);
        expect(await one.discardAbandoned(later())).toBe(0);
      });

      testStorages(open, 'may be as unusual as file names', async ({ one, two }) => {
        for (const [odd, key] of UNUSUAL_KEYS) {
          await publishBytes(one, key, sampleBytes(10));
          expect([odd, await readObject(two, key), await listKeys(two)]).toEqual([odd, sampleBytes(10), [key]]);
          await two.purge(key);
          expect(await one.open(key)).toBeNull();
        }
      });
    });

    testStorages(open, 'check resolves and leaves nothing', async ({ one }) => {
      await one.check();
      expect(await listKeys(one)).toEqual([]);
      expect(await one.discardAbandoned(later())).toBe(0);
    });
  });
}

const isRefused = (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    () => false,
    () => true,
  );
