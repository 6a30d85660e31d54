import { describe, expect, test } from 'bun:test';
import { JOB_KINDS } from '@postshelf/domain';
import { addImport, claim, idsOf, LEASE_TIME, leaseOf, SAMPLE_FIT, SAMPLE_IMPORT } from '../job-samples.ts';
import { addWorkspace, NOW, newId, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addDelivery, addWebhook } from '../webhooks/samples.ts';
import { ADDED } from './added.ts';

/** Checks which jobs are in the queue, and when they become due. */
export function describeJobAdding(open: OpenStores): void {
  describe('a job', () => {
    const stores = storesOfEachTest(open);

    test.each(JOB_KINDS)('of kind %s has the details it was added with, and is due from its time on', async (kind) => {
      const { id } = await addWorkspace(stores.one);
      const subjectId = await ADDED[kind](stores.one, id, NOW + 5);
      expect(await stores.two.jobs.due(NOW + 4)).not.toContain(kind);
      expect(await claim(stores.two, kind, 'worker', { now: NOW + 4 })).toEqual([]);
      expect(await stores.two.jobs.due(NOW + 5)).toContain(kind);
      const [job, ...others] = await claim(stores.two, kind, 'worker', { now: NOW + 5 });
      expect(others).toEqual([]);
      expect(job).toMatchObject({
        kind,
        subjectId,
        workspaceId: kind === 'check' ? null : id,
        payload: kind === 'import' ? SAMPLE_IMPORT : kind === 'fit' ? SAMPLE_FIT : null,
        attempts: 0,
        claims: 1,
      });
      expect(await stores.one.jobs.due(NOW + 5)).not.toContain(kind);
    });

    test('keeps any payload', async () => {
      const { id } = await addWorkspace(stores.one);
      const payload = {
        url: `https://media.example/${'é😀"%_\\\''.repeat(100)}`,
        terms: { sha256: 'a1'.repeat(32), onDuplicate: 'return' },
        requestId: 'from-a-proxy',
      } as const;
      const item = await addImport(stores.one, id, { payload, attempts: 2, createdAt: NOW - 7 });
      const job = { kind: 'import', subjectId: item.id, workspaceId: id, payload } as const;
      expect(await claim(stores.two, 'import', 'worker')).toEqual([
        { ...job, addedAt: NOW - 7, attempts: 2, claims: 1 },
      ]);
    });

    test('may begin under a lease, with one claim counted', async () => {
      const { id } = await addWorkspace(stores.one);
      const lease = leaseOf('server');
      const { id: subjectId } = await addImport(stores.one, id, { attempts: 1, start: { lease } });
      expect(await claim(stores.two, 'import', 'worker', { now: lease.until - 1 })).toEqual([]);
      expect(await stores.two.jobs.renew('import', [subjectId], lease)).toEqual(new Set([subjectId]));
      const claimed = await claim(stores.two, 'import', 'worker', { now: lease.until });
      expect(claimed).toMatchObject([{ subjectId, attempts: 1, claims: 2 }]);
    });

    test.each(['import', 'fit', 'cover', 'preview'] as const)('of kind %s is deleted with its item', async (kind) => {
      const { id } = await addWorkspace(stores.one);
      const [free, leased] = [
        await ADDED[kind](stores.one, id, NOW),
        await ADDED[kind](stores.one, id, NOW - 1),
      ] as const;
      expect(idsOf(await claim(stores.one, kind, 'worker'))).toEqual([leased]);
      for (const item of [free, leased]) await stores.one.media.delete(item);
      expect((await stores.two.jobs.figures()).get(kind)).toMatchObject({ waiting: 0, running: 0 });
      expect(await stores.two.jobs.renew(kind, [leased], leaseOf('worker'))).toEqual(new Set());
      expect(await stores.two.jobs.complete({ kind, subjectId: leased }, 'worker')).toBe(false);
      expect(await claim(stores.two, kind, 'other', { now: NOW + LEASE_TIME })).toEqual([]);
    });

    test('that is added again while it is free becomes due earlier, and never later', async () => {
      const libraryId = newId();
      const { schedule } = stores.one.objectChecks;
      await schedule(libraryId, NOW + 10);
      await schedule(libraryId, NOW + 20);
      await schedule(libraryId, NOW + 5);
      expect(await claim(stores.two, 'check', 'worker', { now: NOW + 4 })).toEqual([]);
      const [job] = await claim(stores.two, 'check', 'worker', { now: NOW + 5 });
      expect(job).toMatchObject({ subjectId: libraryId, addedAt: NOW + 10, claims: 1 });
    });

    test('that is added again while a worker has it is not changed', async () => {
      const libraryId = newId();
      await stores.one.objectChecks.schedule(libraryId, NOW);
      await claim(stores.one, 'check', 'worker');
      await stores.two.objectChecks.schedule(libraryId, NOW);
      expect(await claim(stores.two, 'check', 'other', { now: NOW + LEASE_TIME - 1 })).toEqual([]);
      expect(await stores.one.jobs.complete({ kind: 'check', subjectId: libraryId }, 'worker')).toBe(true);
      expect((await stores.two.jobs.figures()).get('check')).toMatchObject({ waiting: 0, running: 0 });
    });

    test('that has failed permanently is not added again', async () => {
      const libraryId = newId();
      await stores.one.objectChecks.schedule(libraryId, NOW);
      await claim(stores.one, 'check', 'worker');
      expect(await stores.one.jobs.fail({ kind: 'check', subjectId: libraryId }, 'worker', 'reason')).toBe(true);
      await stores.two.objectChecks.schedule(libraryId, NOW);
      expect(await claim(stores.two, 'check', 'other', { now: NOW + LEASE_TIME })).toEqual([]);
    });

    test('exists once for each webhook with deliveries', async () => {
      const webhook = await addWebhook(stores.one);
      for (const at of [NOW + 9, NOW + 3, NOW + 6]) await addDelivery(stores.one, webhook, at);
      expect((await stores.two.jobs.figures()).get('delivery')).toMatchObject({ waiting: 1, longestDue: NOW + 3 });
    });

    test('of a cover exists for new videos whose cover is due, and no others', async () => {
      const { id } = await addWorkspace(stores.one);
      const [due, other] = [sampleVideo(id), sampleVideo(id)];
      await stores.one.media.insert([due, other], [due.id]);
      expect(idsOf(await claim(stores.two, 'cover', 'worker'))).toEqual([due.id]);
      expect(await claim(stores.two, 'cover', 'worker')).toEqual([]);
    });
  });
}
