import { describe, expect, test } from 'bun:test';
import type { ObjectCheck } from '@postshelf/domain';
import { claim, claimAll, idsOf, LEASE_TIME, release } from '../job-samples.ts';
import { NOW, newId } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

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
    const libraryId = newId();
    const key = { kind: 'check', subjectId: libraryId } as const;
    const begin = async (of: Stores, owner: string, now = NOW): Promise<void> => {
      expect(idsOf(await claim(of, 'check', owner, { now }))).toEqual([libraryId]);
    };

    test('are empty before the first one', async () => {
      expect(await stores.one.objectChecks.find()).toEqual(NONE);
      await stores.one.objectChecks.schedule(libraryId, NOW);
      expect(await stores.two.objectChecks.find()).toEqual(NONE);
    });

    test('are stored by the owner of the job, for the next one', async () => {
      const check: ObjectCheck = {
        cursor: newId(),
        startedAt: NOW,
        checked: 12,
        missing: 2,
        finishedAt: NOW - 5,
        lastChecked: 10,
        lastMissing: 1,
      };
      await stores.one.objectChecks.schedule(libraryId, NOW);
      await begin(stores.one, 'one');
      expect(await stores.one.objectChecks.save(libraryId, 'one', check)).toBe(true);
      expect(await stores.two.objectChecks.find()).toEqual(check);
      expect(await release(stores.one, key, 'one')).toBe(true);
      await begin(stores.two, 'two');
      expect(await stores.two.objectChecks.save(libraryId, 'two', NONE)).toBe(true);
      expect(await stores.one.objectChecks.find()).toEqual(NONE);
    });

    test('are not changed by any other owner', async () => {
      const check = { ...NONE, startedAt: NOW };
      expect(await stores.one.objectChecks.save(libraryId, 'one', check)).toBe(false);
      await stores.one.objectChecks.schedule(libraryId, NOW);
      expect(await stores.one.objectChecks.save(libraryId, 'one', check)).toBe(false);
      await begin(stores.one, 'one');
      expect(await stores.two.objectChecks.save(newId(), 'one', check)).toBe(false);
      await begin(stores.two, 'two', NOW + LEASE_TIME);
      expect(await stores.one.objectChecks.save(libraryId, 'one', check)).toBe(false);
      expect(await stores.two.objectChecks.find()).toEqual(NONE);
    });

    test('have one job, even if two instances schedule it', async () => {
      await Promise.all([stores.one, stores.two].map(({ objectChecks }) => objectChecks.schedule(libraryId, NOW)));
      expect(await claimAll(stores.one, 'check', 'one')).toEqual([libraryId]);
    });
  });
}
