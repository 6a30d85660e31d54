import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addImport, addImports, claim, claimAll, heldBy, idsOf, LEASE_TIME, leaseOf, release } from '../job-samples.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

/** Checks the limit on the leases of one workspace. The limit keeps a workspace from occupying all workers. */
export function describeJobLimits(open: OpenStores): void {
  describe('the limit of a workspace', () => {
    const stores = storesOfEachTest(open);

    /** Adds a workspace with the given number of due jobs, the first two of which are claimed. */
    const busyWorkspace = async (count: number) => {
      const { id } = await addWorkspace(stores.one);
      const ids = await addImports(stores.one, id, count);
      expect(await claimAll(stores.one, 'import', 'first', { perWorkspace: 2 })).toEqual(ids.slice(0, 2));
      return { id, ids };
    };
    const claimOne = async (of: Stores, owner: string, perWorkspace: number, now = NOW): Promise<Uuid[]> =>
      idsOf(await claim(of, 'import', owner, { perWorkspace, now }));

    test('holds across owners and instances', async () => {
      await busyWorkspace(10);
      for (const owner of ['first', 'second']) {
        for (const of of [stores.one, stores.two]) expect(await claimOne(of, owner, 2)).toEqual([]);
      }
    });

    test('allows further claims up to it, even in a batch', async () => {
      const { ids } = await busyWorkspace(10);
      expect(await claimOne(stores.two, 'second', 3)).toEqual(ids.slice(2, 3));
      const request = { perWorkspace: 6, rules: { batch: 8, order: 'oldest' } } as const;
      expect(idsOf(await claim(stores.two, 'import', 'second', request))).toEqual(ids.slice(3, 6));
      expect(await claim(stores.two, 'import', 'second', request)).toEqual([]);
    });

    test('starves no workspace, however long the queue before it', async () => {
      await busyWorkspace(100);
      const late: Uuid[] = [];
      for (let n = 0; n < 3; n += 1) {
        late.push((await addImport(stores.one, (await addWorkspace(stores.one)).id, { start: { dueAt: NOW } })).id);
      }
      const claimed = await claimAll(stores.two, 'import', 'second', { perWorkspace: 2 });
      expect(claimed.toSorted()).toEqual(late.toSorted());
    });

    test('counts a job that was added under a lease, without preventing it', async () => {
      const { id } = await addWorkspace(stores.one);
      await addImport(stores.one, id, { start: { lease: leaseOf('server') } });
      const ids = await addImports(stores.one, id, 2);
      expect(await claimAll(stores.two, 'import', 'worker', { perWorkspace: 2 })).toEqual(ids.slice(0, 1));
      const item = await addImport(stores.two, id, { start: { lease: leaseOf('server') } });
      expect(await heldBy(stores.two, 'server', 'import', [item.id])).toEqual([item.id]);
    });

    test('does not count expired leases', async () => {
      const { ids } = await busyWorkspace(4);
      const now = NOW + LEASE_TIME;
      const claimed = await claimAll(stores.two, 'import', 'second', { now, perWorkspace: 2 });
      expect(claimed).toHaveLength(2);
      expect(ids).toEqual(expect.arrayContaining([...claimed]));
    });

    test('allows another claim when a job is released, completed, failed or deleted', async () => {
      const { ids } = await busyWorkspace(7);
      const [first, second, third, fourth] = ids.map((subjectId) => ({ kind: 'import', subjectId }) as const);
      if (!(first && second && third && fourth)) throw new Error('A sample is missing');
      expect(await release(stores.one, first, 'first', { dueAt: NOW + 1 })).toBe(true);
      expect(await claimOne(stores.two, 'second', 2)).toEqual(ids.slice(2, 3));
      expect(await stores.one.jobs.complete(second, 'first')).toBe(true);
      expect(await claimOne(stores.two, 'second', 2)).toEqual(ids.slice(3, 4));
      expect(await stores.one.jobs.fail(third, 'second', 'reason')).toBe(true);
      expect(await claimOne(stores.two, 'second', 2)).toEqual(ids.slice(4, 5));
      await stores.one.media.delete(fourth.subjectId);
      expect(await claimOne(stores.two, 'second', 2)).toEqual(ids.slice(5, 6));
      expect(await claimOne(stores.two, 'second', 2)).toEqual([]);
    });
  });
}
