import { describe, expect } from 'bun:test';
import { eachRow } from '../each-row.ts';
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
import { describeSweeping } from './sweeping.ts';

/** What every object storage does. `open` gives an empty store each time. */
export function describeObjectStorage(name: string, traits: StorageTraits, open: OpenStorages): void {
  describe(`${name} as an object storage`, () => {
    describeStaging(open);
    describePublishing(open, traits);
    describeSweeping(open, traits);
    describeReading(open);

    describe('keys', () => {
      testStorages(open, 'are refused where they lead out of their item', async ({ one }) => {
        await eachRow(HOSTILE_KEYS, async (key) => {
          const staged = await stageBytes(one, sampleBytes(10));
          await expect(staged.publish(key)).rejects.toThrow();
          await expect(one.open(key)).rejects.toThrow();
          await expect(one.remove(key)).rejects.toThrow();
          await staged.discard();
        });
        expect(await listKeys(one)).toEqual([]);
        expect(await one.sweepStaging(later())).toBe(0);
      });

      testStorages(open, 'may be unusual', async ({ one, two }) => {
        await eachRow(UNUSUAL_KEYS, async (key) => {
          await publishBytes(one, key, sampleBytes(10));
          expect(await readObject(two, key)).toEqual(sampleBytes(10));
          expect(await listKeys(two)).toEqual([key]);
          await two.remove(key);
          expect(await one.open(key)).toBeNull();
        });
      });
    });

    testStorages(open, 'check resolves and leaves nothing', async ({ one }) => {
      await one.check();
      expect(await listKeys(one)).toEqual([]);
      expect(await one.sweepStaging(later())).toBe(0);
    });
  });
}
