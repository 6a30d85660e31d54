import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addFit, addImport, addImports, claim, claimAll, idsOf, LEASE_TIME } from '../job-samples.ts';
import { addWorkspace, NOW, sampleImage } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { ADDED } from './added.ts';

const WORKSPACES = 25;

/** Checks which workspace's jobs come next. */
export function describeJobTurns(open: OpenStores): void {
  describe('workspaces', () => {
    const stores = storesOfEachTest(open);

    /** Claims a job, finishes it, and returns its workspace. */
    const serve = async (of: Stores, kind: 'import' | 'preview' = 'import', now = NOW): Promise<Uuid | null> => {
      const [job] = await claim(of, kind, 'worker', { now });
      if (job) await of.jobs.complete(job, 'worker');
      return job?.workspaceId ?? null;
    };

    test('take turns, the one that was served longest ago first', async () => {
      const ids: Uuid[] = [];
      for (let n = 0; n < 3; n += 1) {
        const { id } = await addWorkspace(stores.one);
        await addImports(stores.one, id, 3);
        ids.push(id);
      }
      const round = [await serve(stores.one), await serve(stores.two), await serve(stores.one)];
      expect(new Set(round)).toEqual(new Set(ids));
      for (let n = 0; n < 6; n += 1)
        expect(await serve(n % 2 === 0 ? stores.one : stores.two)).toBe(round[n % 3] ?? null);
      expect(await serve(stores.two)).toBeNull();
    });

    test('keep their turn while they have nothing to do', async () => {
      const [busy, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      for (const { id } of [busy, other]) await addImports(stores.one, id, 1);
      await serve(stores.one);
      const last = await serve(stores.one);
      const first = last === busy.id ? other.id : busy.id;
      // The workspace that was served last has the job that has been due longest.
      await addImports(stores.one, last ?? busy.id, 1, NOW - 100);
      await addImports(stores.one, first, 1, NOW - 1);
      expect([await serve(stores.two), await serve(stores.two)]).toEqual([first, last]);
    });

    test('with a new job come next, however many jobs of another wait', async () => {
      const busy = await addWorkspace(stores.one);
      const images = Array.from({ length: 1000 }, (_, n) => sampleImage(busy.id, { updatedAt: NOW - 2000 + n }));
      await stores.one.media.insert(images);
      for (let n = 0; n < 5; n += 1) expect(await serve(stores.one, 'preview')).toBe(busy.id);
      const late = await addWorkspace(stores.one);
      await ADDED.preview(stores.one, late.id, NOW);
      expect(await serve(stores.two, 'preview')).toBe(late.id);
      expect(await serve(stores.two, 'preview')).toBe(busy.id);
      // By now, this workspace has been served once, too.
      await ADDED.preview(stores.one, late.id, NOW);
      expect(await serve(stores.two, 'preview')).toBe(late.id);
    });

    test('take turns separately for each kind', async () => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      await addImports(stores.one, mine.id, 3);
      for (let n = 0; n < 3; n += 1) await serve(stores.one);
      const ids = [await addFit(stores.one, mine.id), await addFit(stores.one, other.id)];
      expect(new Set(await claimAll(stores.two, 'fit', 'worker'))).toEqual(new Set(ids));
    });

    test("whose jobs have ended or are not due don't hide those of others", async () => {
      const last = await addWorkspace(stores.one);
      for (let n = 0; n < WORKSPACES; n += 1) {
        const { id } = await addWorkspace(stores.one);
        await addImports(stores.one, id, 1);
        await addImport(stores.one, id, { start: { dueAt: NOW + 3 * LEASE_TIME } });
      }
      for (let n = 0; n < WORKSPACES; n += 1) await serve(stores.one);
      await addImports(stores.one, last.id, 1);
      expect(await serve(stores.one)).toBe(last.id);
      // By this time all leases would have expired, and this workspace was served last.
      const now = NOW + 2 * LEASE_TIME;
      const { id } = await addImport(stores.one, last.id, { start: { dueAt: now } });
      expect(idsOf(await claim(stores.two, 'import', 'worker', { now }))).toEqual([id]);
      expect(await stores.two.jobs.due(now)).toEqual([]);
    });

    test("whose items were all deleted don't hide others", async () => {
      const last = await addWorkspace(stores.one);
      await addImports(stores.one, last.id, 1);
      await serve(stores.one);
      for (let n = 0; n < WORKSPACES; n += 1) {
        const ids = await addImports(stores.one, (await addWorkspace(stores.one)).id, 2);
        // Half of the workspaces have had a turn before their items are deleted.
        if (n % 2 === 0) await serve(stores.one);
        for (const id of ids) await stores.one.media.delete(id);
      }
      const [id] = await addImports(stores.one, last.id, 1);
      expect(idsOf(await claim(stores.two, 'import', 'worker'))).toEqual([id] as never);
    });

    test('are skipped if the caller excludes them, however long their jobs are due', async () => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const ids = await addImports(stores.one, mine.id, 3);
      const later = await addImport(stores.one, other.id);
      expect(await claimAll(stores.two, 'import', 'second', { without: [mine.id] })).toEqual([later.id]);
      expect(await claim(stores.two, 'import', 'second', { without: [mine.id, other.id] })).toEqual([]);
      expect(await claimAll(stores.two, 'import', 'second')).toEqual(ids);
    });
  });
}
