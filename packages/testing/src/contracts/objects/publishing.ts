import { describe, expect } from 'bun:test';
import { outcomeOf } from '../../outcomes.ts';
import { ROUNDS } from '../race.ts';
import {
  later,
  listKeys,
  newKey,
  type OpenStorages,
  publishBytes,
  readObject,
  type StorageTraits,
  sampleBytes,
  stageBytes,
  testStorages,
} from './samples.ts';

export function describePublishing(open: OpenStorages, { mayRaceForKeys }: StorageTraits): void {
  describe('publishing', () => {
    testStorages(
      open,
      'stores the bytes under the key, for every instance, and leaves nothing staged',
      async ({ one, two }) => {
        const key = newKey();
        await publishBytes(one, key, sampleBytes(5000));
        expect(await readObject(one, key)).toEqual(sampleBytes(5000));
        expect(await readObject(two, key)).toEqual(sampleBytes(5000));
        expect(await listKeys(two)).toEqual([key]);
        expect(await one.discardAbandoned(later())).toBe(0);
      },
    );

    testStorages(open, 'happens once', async ({ one }) => {
      const [key, other] = [newKey(), newKey()];
      const staged = await stageBytes(one, sampleBytes(10));
      await staged.publish(key);
      expect(await outcomeOf(staged.publish(key))).toThrow();
      expect(await outcomeOf(staged.publish(other))).toThrow();
      await staged.discard();
      expect(await outcomeOf(staged.publish(other))).toThrow();
      expect(await listKeys(one)).toEqual([key]);
      expect(await readObject(one, key)).toEqual(sampleBytes(10));
    });

    testStorages(open, 'happens once, even if requested twice concurrently', async ({ one }) => {
      const staged = await stageBytes(one, sampleBytes(10));
      const outcomes = await Promise.allSettled([staged.publish(newKey()), staged.publish(newKey())]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await listKeys(one)).toHaveLength(1);
      await staged.discard();
    });

    testStorages(open, 'to a taken key throws, and keeps the existing object', async ({ one, two }) => {
      const key = newKey();
      await publishBytes(one, key, sampleBytes(5000, 1));
      const late = await stageBytes(two, sampleBytes(6000, 2));
      expect(await outcomeOf(late.publish(key))).toThrow();
      expect(await readObject(two, key)).toEqual(sampleBytes(5000, 1));
      await late.discard();
      expect(await readObject(one, key)).toEqual(sampleBytes(5000, 1));
      expect(await one.discardAbandoned(later())).toBe(0);
    });

    const winners = mayRaceForKeys ? 'at least one winner' : 'one winner';
    testStorages(
      open,
      `has ${winners} if two callers race for a key, which then has the complete bytes of a winner`,
      async ({ one, two }) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const key = newKey();
          const bytes = [sampleBytes(3000, 1), sampleBytes(4000, 2)] as const;
          const staged = await Promise.all([stageBytes(one, bytes[0]), stageBytes(two, bytes[1])]);
          const outcomes = await Promise.allSettled(staged.map((each) => each.publish(key)));
          const won = bytes.filter((_, index) => outcomes[index]?.status === 'fulfilled');
          expect(won.length).toBeGreaterThanOrEqual(1);
          if (!mayRaceForKeys) expect(won).toHaveLength(1);
          expect(won).toContainEqual((await readObject(one, key)) ?? new Uint8Array());
          await Promise.all(staged.map((each) => each.discard()));
        }
        expect(await one.discardAbandoned(later())).toBe(0);
      },
    );

    testStorages(open, 'keeps two names of one item apart', async ({ one, two }) => {
      const first = newKey('a.jpg');
      const second = first.replace('a.jpg', 'b.jpg');
      await publishBytes(one, first, sampleBytes(10, 1));
      await publishBytes(two, second, sampleBytes(20, 2));
      await one.purge(first);
      expect(await listKeys(one)).toEqual([second]);
      expect(await readObject(one, second)).toEqual(sampleBytes(20, 2));
    });
  });

  describe('replacing', () => {
    testStorages(
      open,
      'replaces the bytes under the key, for every instance, and leaves nothing staged',
      async ({ one, two }) => {
        const key = newKey();
        await publishBytes(one, key, sampleBytes(5000, 1));
        const staged = await stageBytes(two, sampleBytes(6000, 2));
        await staged.replace(key);
        expect(await readObject(one, key)).toEqual(sampleBytes(6000, 2));
        await staged.discard();
        expect(await readObject(two, key)).toEqual(sampleBytes(6000, 2));
        expect(await listKeys(one)).toEqual([key]);
        expect(await one.discardAbandoned(later())).toBe(0);
      },
    );

    testStorages(open, 'also stores the bytes under a free key, and happens once', async ({ one }) => {
      const key = newKey();
      const staged = await stageBytes(one, sampleBytes(10));
      await staged.replace(key);
      expect(await readObject(one, key)).toEqual(sampleBytes(10));
      expect(await outcomeOf(staged.replace(key))).toThrow();
      expect(await outcomeOf(staged.publish(newKey()))).toThrow();
      await staged.discard();
      expect(await listKeys(one)).toEqual([key]);
    });

    testStorages(open, 'lets readers see one of the two complete objects at every moment', async ({ one, two }) => {
      const key = newKey();
      await publishBytes(one, key, sampleBytes(3000, 1));
      for (let round = 0; round < ROUNDS; round += 1) {
        const staged = await stageBytes(one, sampleBytes(3000, round));
        let isDone = false;
        const replacing = staged.replace(key).then(() => {
          isDone = true;
        });
        do {
          const found = await two.open(key);
          expect(found?.size).toBe(3000);
        } while (!isDone);
        await replacing;
        await staged.discard();
        expect(await readObject(two, key)).toEqual(sampleBytes(3000, round));
      }
    });
  });

  describe('removing', () => {
    testStorages(
      open,
      'removes the object for every instance, and does nothing if there is none',
      async ({ one, two }) => {
        const key = newKey();
        await one.purge(key);
        await publishBytes(one, key, sampleBytes(10));
        await two.purge(key);
        await two.purge(key);
        await one.purge(key);
        expect(await one.open(key)).toBeNull();
        expect(await two.open(key)).toBeNull();
        expect(await listKeys(one)).toEqual([]);
      },
    );

    testStorages(open, 'may happen before the publisher discards its staged object', async ({ one, two }) => {
      const key = newKey();
      const staged = await stageBytes(one, sampleBytes(10));
      await staged.publish(key);
      await two.purge(key);
      await staged.discard();
      expect(await one.open(key)).toBeNull();
      expect(await listKeys(two)).toEqual([]);
      expect(await two.discardAbandoned(later())).toBe(0);
    });

    testStorages(open, 'resolves for both of two concurrent callers', async ({ one, two }) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const key = newKey();
        await publishBytes(one, key, sampleBytes(10));
        await Promise.all([one.purge(key), two.purge(key)]);
        expect(await one.open(key)).toBeNull();
      }
    });

    testStorages(
      open,
      'does not disturb concurrent publishing under the same item or workspace',
      async ({ one, two }) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const old = newKey('old.jpg');
          const fresh = old.replace('old.jpg', 'fresh.jpg');
          const neighbour = `${old.slice(0, 36)}/${crypto.randomUUID()}/photo.jpg`;
          await publishBytes(one, old, sampleBytes(10, 1));
          const [a, b] = [await stageBytes(one, sampleBytes(20, 2)), await stageBytes(one, sampleBytes(30, 3))];
          await Promise.all([two.purge(old), a.publish(fresh), b.publish(neighbour), two.purge(old)]);
          await Promise.all([a.discard(), b.discard()]);
          expect(await two.open(old)).toBeNull();
          expect(await readObject(two, fresh)).toEqual(sampleBytes(20, 2));
          expect(await readObject(two, neighbour)).toEqual(sampleBytes(30, 3));
        }
      },
    );
  });
}
