import { describe, expect, test } from 'bun:test';
import type { ObjectCheck } from '@postshelf/domain';
import { NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const END = NOW + 1_000;

const NONE: ObjectCheck = {
  cursor: null,
  startedAt: null,
  checked: 0,
  missing: 0,
  finishedAt: null,
  lastChecked: 0,
  lastMissing: 0,
};

/** The contract of {@link ObjectChecks}. */
export function describeObjectChecks(name: string, open: OpenStores): void {
  describe(`${name}: object checks`, () => {
    const stores = storesOfEachTest(open);
    const until = (owner: string, time: number) => ({ owner, until: time });

    test('have seen nothing before the first', async () => {
      expect(await stores.one.objectChecks.find()).toEqual(NONE);
      expect(await stores.one.objectChecks.claim(until('one', END), NOW)).toEqual(NONE);
    });

    test('are stored by the owner of the lease, for the next one', async () => {
      const check: ObjectCheck = {
        cursor: newId(),
        startedAt: NOW,
        checked: 12,
        missing: 2,
        finishedAt: NOW - 5,
        lastChecked: 10,
        lastMissing: 1,
      };
      await stores.one.objectChecks.claim(until('one', END), NOW);
      expect(await stores.one.objectChecks.save(until('one', END), check)).toBe(true);
      expect(await stores.two.objectChecks.find()).toEqual(check);
      await stores.one.objectChecks.release('one');
      expect(await stores.two.objectChecks.claim(until('two', END), NOW)).toEqual(check);
      expect(await stores.two.objectChecks.save(until('two', END), NONE)).toBe(true);
      expect(await stores.one.objectChecks.find()).toEqual(NONE);
    });

    test('are leased to one of several concurrent callers', async () => {
      const owners = ['one', 'two', 'three', 'four'] as const;
      const claims = owners.map((owner, index) =>
        (index % 2 === 0 ? stores.one : stores.two).objectChecks.claim(until(owner, END), NOW),
      );
      expect((await Promise.all(claims)).filter((claimed) => claimed !== null)).toHaveLength(1);
    });

    test('are prolonged by saving, and free once the lease ran out', async () => {
      await stores.one.objectChecks.claim(until('one', END), NOW);
      expect(await stores.two.objectChecks.claim(until('two', END + 9), END - 1)).toBeNull();
      await stores.one.objectChecks.save(until('one', END + 5), { ...NONE, startedAt: NOW });
      expect(await stores.two.objectChecks.claim(until('two', END + 9), END + 4)).toBeNull();
      expect(await stores.one.objectChecks.claim(until('one', END + 5), END)).not.toBeNull();
      expect(await stores.two.objectChecks.claim(until('two', END + 9), END + 5)).toMatchObject({ startedAt: NOW });
      // The owner that lost it can't change anything any more.
      expect(await stores.one.objectChecks.save(until('one', END + 99), NONE)).toBe(false);
      await stores.one.objectChecks.release('one');
      expect(await stores.one.objectChecks.claim(until('one', END + 99), END + 8)).toBeNull();
      expect(await stores.two.objectChecks.find()).toMatchObject({ startedAt: NOW });
    });
  });
}
