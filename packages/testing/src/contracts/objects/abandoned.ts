import { describe, expect } from 'bun:test';
import type { ObjectStorage } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { ROUNDS } from '../race.ts';
import {
  earlier,
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

export function describeAbandoned(open: OpenStorages, { detectsDeadProcesses }: StorageTraits): void {
  describe('discarding abandoned bytes', () => {
    testStorages(open, 'keeps what is newer than the time', async ({ one, two }) => {
      const key = newKey();
      const staged = await stageBytes(one, sampleBytes(10));
      expect(await two.discardAbandoned(earlier())).toBe(0);
      await staged.publish(key);
      await staged.discard();
      expect(await readObject(two, key)).toEqual(sampleBytes(10));
    });

    testStorages(open, 'never touches a published object', async ({ one, two }) => {
      const key = newKey();
      await publishBytes(one, key, sampleBytes(10));
      expect(await two.discardAbandoned(later())).toBe(0);
      expect(await readObject(one, key)).toEqual(sampleBytes(10));
    });

    testStorages(
      open,
      'never touches an object whose publisher has not discarded its staging, or was killed before',
      async ({ one, two, crash }) => {
        const [held, left] = [newKey(), newKey()];
        const staged = await stageBytes(one, sampleBytes(10, 1));
        await staged.publish(held);
        await crash(sampleBytes(20, 2), left);
        await two.discardAbandoned(later());
        expect(await readObject(two, held)).toEqual(sampleBytes(10, 1));
        expect(await readObject(two, left)).toEqual(sampleBytes(20, 2));
        await staged.discard();
        expect(await listKeys(two)).toEqual([held, left].sort());
      },
    );

    if (detectsDeadProcesses) describeByLife(open);
    else describeByTime(open);
  });
}

function describeByLife(open: OpenStorages): void {
  testStorages(
    open,
    'immediately discards what killed processes staged, and returns count and bytes',
    async ({ one, two, crash }) => {
      const staged = await stageBytes(one, sampleBytes(10));
      await crash(sampleBytes(10), null);
      await crash(sampleBytes(0), null);
      const freed: number[] = [];
      expect(await two.discardAbandoned(earlier(), (bytes) => freed.push(bytes))).toBe(2);
      expect(freed.toSorted()).toEqual([0, 10]);
      expect(await two.discardAbandoned(later())).toBe(0);
      expect(await listKeys(two)).toEqual([]);
      await staged.discard();
    },
  );

  testStorages(open, 'never touches what a living process stages, however old', async ({ one, two }) => {
    const key = newKey();
    const staged = await stageBytes(one, sampleBytes(10));
    expect(await one.discardAbandoned(later())).toBe(0);
    expect(await two.discardAbandoned(later())).toBe(0);
    await staged.publish(key);
    await staged.discard();
    expect(await readObject(two, key)).toEqual(sampleBytes(10));
  });

  testStorages(open, 'removes nothing from callers that stage and publish meanwhile', async ({ one, two, crash }) => {
    await crash(sampleBytes(10), null);
    const keys = Array.from({ length: ROUNDS }, () => newKey());
    const publishing = keys.map((key) => publishBytes(one, key, sampleBytes(10)));
    await Promise.all([...publishing, ...keys.map(() => two.discardAbandoned(later()))]);
    expect(await listKeys(two)).toEqual(keys.toSorted());
  });

  testStorages(
    open,
    'settles what a killed process published; other objects are settled by their publisher',
    async ({ one, two, crash }) => {
      const [own, left] = [newKey(), newKey()];
      const staged = await stageBytes(one, sampleBytes(10));
      await staged.publish(own);
      await crash(sampleBytes(20), left);
      expect(await settledKeys(two)).toEqual([]);
      expect(await two.discardAbandoned(later())).toBe(0);
      expect(await settledKeys(two)).toEqual([left]);
      await staged.discard();
      expect(await settledKeys(two)).toEqual([left, own].sort());
      expect(await settledKeys(one)).toEqual([left, own].sort());
    },
  );

  testStorages(open, 'is not misled by a failed publication', async ({ one, two }) => {
    const key = newKey();
    await publishBytes(one, key, sampleBytes(10, 1));
    const late = await stageBytes(two, sampleBytes(10, 2));
    expect(await outcomeOf(late.publish(key))).toThrow();
    expect(await settledKeys(two)).toEqual([key]);
    await late.discard();
    expect(await settledKeys(two)).toEqual([key]);
  });
}

function describeByTime(open: OpenStorages): void {
  testStorages(
    open,
    'discards what was last written before the time, and returns the count',
    async ({ one, two, crash }) => {
      const abandoned = await stageBytes(one, sampleBytes(10));
      await crash(sampleBytes(0), null);
      expect(await two.discardAbandoned(earlier())).toBe(0);
      expect(await two.discardAbandoned(later())).toBe(2);
      expect(await two.discardAbandoned(later())).toBe(0);
      expect(await outcomeOf(abandoned.publish(newKey()))).toThrow();
      await abandoned.discard();
      expect(await listKeys(one)).toEqual([]);
    },
  );

  testStorages(open, 'settles nothing', async ({ one, two, crash }) => {
    await publishBytes(one, newKey(), sampleBytes(10));
    await crash(sampleBytes(10), newKey());
    await two.discardAbandoned(later());
    expect(await listKeys(two)).toHaveLength(2);
    expect(await settledKeys(two)).toEqual([]);
  });
}

/** Returns the keys of settled objects, sorted. */
async function settledKeys(storage: ObjectStorage): Promise<string[]> {
  const listed = await Array.fromAsync(storage.list());
  return listed
    .filter(({ isSettled }) => isSettled)
    .map(({ key }) => key)
    .sort();
}
