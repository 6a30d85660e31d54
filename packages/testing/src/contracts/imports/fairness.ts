import { describe, expect, test } from 'bun:test';
import type { ImportJob, Uuid } from '@postshelf/domain';
import { breaksOff, LEASE_TIME } from '../pending/kinds.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addImport, addImports, claim, heldBy, idsOf, leaseOf } from './samples.ts';

/** The limit of one workspace's leases, which prevents it from occupying all workers. */
export function describeImportFairness(open: OpenStores): void {
  describe('the limit of a workspace', () => {
    const stores = storesOfEachTest(open);

    /** A workspace with the given number of due jobs, of which the first two are claimed. */
    const busyWorkspace = async (count: number) => {
      const { id } = await addWorkspace(stores.one);
      const items = await addImports(stores.one, id, count);
      const ids = items.map((item) => item.id);
      expect(idsOf(await claim(stores.one, 'first', { perWorkspace: 2 }))).toEqual(ids.slice(0, 2));
      return { id, items, ids };
    };

    test('holds across claims and owners', async () => {
      await busyWorkspace(10);
      for (const owner of ['first', 'second', 'first']) {
        expect(await claim(stores.one, owner, { perWorkspace: 2 })).toEqual([]);
        expect(await claim(stores.two, owner, { perWorkspace: 2 })).toEqual([]);
      }
    });

    test('lets further jobs be claimed up to it', async () => {
      const { ids } = await busyWorkspace(10);
      expect(idsOf(await claim(stores.two, 'second', { perWorkspace: 3 }))).toEqual(ids.slice(2, 3));
      expect(idsOf(await claim(stores.two, 'second', { perWorkspace: 10, limit: 5 }))).toEqual(ids.slice(3, 8));
      expect(await claim(stores.two, 'second', { perWorkspace: 2 })).toEqual([]);
    });

    test('lets one claim take the jobs of others, however many of its own are due earlier', async () => {
      const busy = await addWorkspace(stores.one);
      const ids = (await addImports(stores.one, busy.id, 10)).map((item) => item.id);
      const other = await addWorkspace(stores.one);
      const theirs = await addImport(stores.one, other.id);
      const claimed = await claim(stores.one, 'first', { perWorkspace: 2, limit: 3 });
      expect(idsOf(claimed)).toEqual([...ids.slice(0, 2), theirs.id]);
    });

    test('starves no workspace if the claim is small and the queue before it long', async () => {
      await busyWorkspace(200);
      const others = [await addWorkspace(stores.one), await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const ids: Uuid[] = [];
      for (const { id } of others) {
        const item = await addImport(stores.one, id, { start: { dueAt: NOW + ids.length } });
        ids.push(item.id);
      }
      const request = { now: NOW + ids.length, perWorkspace: 2, limit: 1 };
      for (const id of ids) expect(idsOf(await claim(stores.two, 'second', request))).toEqual([id]);
      expect(await claim(stores.two, 'second', request)).toEqual([]);
    });

    test('skips excluded workspaces, however long their jobs are due', async () => {
      const { id } = await busyWorkspace(10);
      const other = await addWorkspace(stores.one);
      const later = await addImport(stores.one, other.id);
      const request = { perWorkspace: 5, limit: 1, without: [id] };
      expect(idsOf(await claim(stores.two, 'second', request))).toEqual([later.id]);
      expect(await claim(stores.two, 'second', request)).toEqual([]);
    });

    test('leaves the jobs that the caller does not admit', async () => {
      const { id } = await addWorkspace(stores.one);
      const items = await addImports(stores.one, id, 4);
      const refused = items[1]?.id;
      const requested: Uuid[] = [];
      const admits = (job: Pick<ImportJob, 'mediaId' | 'workspaceId'>): boolean => {
        expect(job.workspaceId).toBe(id);
        requested.push(job.mediaId);
        return job.mediaId !== refused;
      };
      await claim(stores.one, 'first', { limit: 3, admits });
      expect(new Set(requested)).toEqual(new Set(items.slice(0, 3).map((item) => item.id)));
      expect(await heldBy(stores.one, 'first', items)).toEqual([items[0], items[2]].flatMap((item) => item?.id ?? []));
      expect(await claim(stores.two, 'second')).toHaveLength(2);
    });

    test('counts a job that was added under a lease', async () => {
      const { id } = await addWorkspace(stores.one);
      await addImport(stores.one, id, { start: { lease: leaseOf('server') } });
      const ids = (await addImports(stores.one, id, 2)).map((item) => item.id);
      expect(idsOf(await claim(stores.two, 'worker', { perWorkspace: 2 }))).toEqual(ids.slice(0, 1));
    });

    test('does not apply to adding under a lease', async () => {
      const { id } = await busyWorkspace(3);
      const item = await addImport(stores.two, id, { start: { lease: leaseOf('server') } });
      expect(await heldBy(stores.two, 'server', [item])).toEqual([item.id]);
    });

    test('does not count expired leases', async () => {
      const { ids } = await busyWorkspace(4);
      const claimed = await claim(stores.two, 'second', { now: NOW + LEASE_TIME, perWorkspace: 2 });
      expect(claimed).toHaveLength(2);
      expect(ids).toEqual(expect.arrayContaining(idsOf(claimed)));
    });

    test('holds if an owner renews its leases after they expired', async () => {
      const { items } = await busyWorkspace(10);
      const now = NOW + LEASE_TIME;
      await claim(stores.two, 'second', { now, perWorkspace: 2 });
      const held = [
        ...(await heldBy(stores.one, 'first', items, now)),
        ...(await heldBy(stores.two, 'second', items, now)),
      ];
      expect(held).toHaveLength(2);
    });

    test('allows another claim when a job is released, ends or is deleted', async () => {
      const { items, ids } = await busyWorkspace(6);
      const [first, second, third] = items;
      if (!first || !second || !third) throw new Error('A sample is missing');
      const claimNext = async () => idsOf(await claim(stores.two, 'second', { perWorkspace: 2 }));
      expect(await stores.one.imports.release(first.id, 'first', { dueAt: NOW + 1, attempts: 1 })).toBe(true);
      expect(await claimNext()).toEqual(ids.slice(2, 3));
      expect(await stores.one.imports.finish(second.id, 'first', breaksOff)).toBe(true);
      expect(await claimNext()).toEqual(ids.slice(3, 4));
      await stores.one.media.remove(third.id);
      expect(await claimNext()).toEqual(ids.slice(4, 5));
    });
  });
}
