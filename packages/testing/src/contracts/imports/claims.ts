import { describe, expect, test } from 'bun:test';
import { NO_TERMS } from '@postshelf/domain';
import { LEASE_TIME } from '../pending/kinds.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addImport, addImports, claim, idsOf, leaseOf, SAMPLE_URL } from './samples.ts';

/** Which jobs a claim takes, one caller at a time. */
export function describeImportClaims(open: OpenStores): void {
  describe('claiming', () => {
    const stores = storesOfEachTest(open);

    test('takes the longest due first, of all workspaces', async () => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const due = (id: typeof mine.id, dueAt: number) => addImport(stores.one, id, { start: { dueAt } });
      const fourth = await due(mine.id, NOW - 1);
      const second = await due(mine.id, NOW - 3);
      const fifth = await due(mine.id, NOW);
      const first = await due(other.id, NOW - 4);
      const third = await due(other.id, NOW - 2);
      expect(await claim(stores.one, 'worker', { limit: 0 })).toEqual([]);
      expect(idsOf(await claim(stores.one, 'worker', { limit: 1 }))).toEqual([first.id]);
      expect(idsOf(await claim(stores.two, 'worker', { limit: 2 }))).toEqual([second.id, third.id]);
      expect(idsOf(await claim(stores.one, 'worker'))).toEqual([fourth.id, fifth.id]);
    });

    test('takes no job before it is due', async () => {
      const { id } = await addWorkspace(stores.one);
      const [later, item] = [
        await addImport(stores.one, id, { start: { dueAt: NOW + 1 } }),
        await addImport(stores.one, id),
      ];
      expect(await claim(stores.one, 'worker', { now: NOW - 1 })).toEqual([]);
      expect(idsOf(await claim(stores.one, 'worker'))).toEqual([item.id]);
      expect(idsOf(await claim(stores.two, 'worker', { now: NOW + 1 }))).toEqual([later.id]);
    });

    test('takes no job under a lease, not even under its own', async () => {
      const { id } = await addWorkspace(stores.one);
      await addImports(stores.one, id, 3);
      expect(await claim(stores.one, 'worker')).toHaveLength(3);
      expect(await claim(stores.one, 'worker')).toEqual([]);
      expect(await claim(stores.two, 'other')).toEqual([]);
    });

    for (const [whose, owner] of Object.entries({ 'another owner': 'worker', 'its own owner': 'stalled' })) {
      test(`gives a job whose lease ran out to ${whose}, and not a millisecond before`, async () => {
        const { id } = await addWorkspace(stores.one);
        const item = await addImport(stores.one, id);
        await claim(stores.one, 'stalled');
        expect(await claim(stores.two, owner, { now: NOW + LEASE_TIME - 1 })).toEqual([]);
        expect(idsOf(await claim(stores.two, owner, { now: NOW + LEASE_TIME }))).toEqual([item.id]);
      });
    }

    test('counts each claim, and does not change the attempts', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id, { attempts: 1 });
      const job = { mediaId: item.id, workspaceId: id, url: SAMPLE_URL, attempts: 1, terms: NO_TERMS };
      expect(await claim(stores.one, 'first')).toEqual([{ ...job, claims: 1 }]);
      expect(await claim(stores.two, 'second', { now: NOW + LEASE_TIME })).toEqual([{ ...job, claims: 2 }]);
      await stores.two.imports.release(item.id, 'second', { dueAt: NOW, attempts: 2 });
      expect(await claim(stores.one, 'third')).toEqual([{ ...job, attempts: 2, claims: 3 }]);
    });

    test('uses the given time, even if that goes back', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      const lease = leaseOf('killed', NOW - LEASE_TIME);
      await stores.one.imports.claim({ now: NOW, lease, limit: 1, perWorkspace: 1 });
      expect(await claim(stores.two, 'worker', { now: NOW - 1 })).toEqual([]);
      expect(idsOf(await claim(stores.two, 'worker'))).toEqual([item.id]);
    });
  });
}
