import { describe, expect, test } from 'bun:test';
import { JOB_KINDS, type JobFigures } from '@postshelf/domain';
import { addImport, claim, LEASE_TIME, leaseOf, release } from '../job-samples.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { ADDED } from './added.ts';

const NONE: JobFigures = { waiting: 0, running: 0, retried: 0, failed: 0, oldest: null, longestDue: null };

/** Checks the metrics that operators see. */
export function describeJobFigures(open: OpenStores): void {
  describe('figures', () => {
    const stores = storesOfEachTest(open);

    test('cover every kind, even those without jobs', async () => {
      expect(await stores.one.jobs.figures()).toEqual(new Map(JOB_KINDS.map((kind) => [kind, NONE])));
      for (const kind of JOB_KINDS) await ADDED[kind](stores.one, (await addWorkspace(stores.one)).id, NOW + 5);
      const figures = await stores.two.jobs.figures();
      for (const kind of JOB_KINDS) {
        expect(figures.get(kind)).toMatchObject({ waiting: 1, running: 0, retried: 0, failed: 0, longestDue: NOW + 5 });
      }
    });

    test('count waiting, running, retried and failed jobs', async () => {
      const { id } = await addWorkspace(stores.one);
      const add = (createdAt: number, dueAt: number) => addImport(stores.one, id, { createdAt, start: { dueAt } });
      await add(NOW - 1, NOW + 50);
      const [again, interrupted, failed] = [
        await add(NOW - 9, NOW - 3),
        await add(NOW - 5, NOW - 2),
        await add(NOW - 90, NOW - 1),
      ];
      await addImport(stores.one, id, { createdAt: NOW - 2, start: { lease: leaseOf('server', NOW + 1) } });
      for (let n = 0; n < 3; n += 1) await claim(stores.one, 'import', 'worker');
      const of = () => stores.two.jobs.figures().then((figures) => figures.get('import'));
      expect(await of()).toEqual({
        waiting: 1,
        running: 4,
        retried: 0,
        failed: 0,
        oldest: NOW - 90,
        longestDue: NOW + 50,
      });
      await release(stores.one, { kind: 'import', subjectId: again.id }, 'worker', { dueAt: NOW + 7, attempts: 1 });
      await release(stores.one, { kind: 'import', subjectId: interrupted.id }, 'worker', { dueAt: NOW, claims: 1 });
      await stores.one.jobs.fail({ kind: 'import', subjectId: failed.id }, 'worker', 'reason');
      const waits = { waiting: 3, running: 1, retried: 2, failed: 1, oldest: NOW - 9 };
      expect(await of()).toEqual({ ...waits, longestDue: NOW });
      // This job is still counted as retried, because its second claim means that the first one was interrupted.
      await claim(stores.one, 'import', 'worker');
      expect(await of()).toEqual({ ...waits, waiting: 2, running: 2, longestDue: NOW + 7 });
      await stores.one.media.delete(again.id);
      await stores.one.media.delete(interrupted.id);
      expect(await of()).toEqual({
        waiting: 1,
        running: 1,
        retried: 0,
        failed: 1,
        oldest: NOW - 2,
        longestDue: NOW + 50,
      });
      await claim(stores.one, 'import', 'worker', { now: NOW + 50 });
      expect(await of()).toMatchObject({ waiting: 0, running: 2, longestDue: NOW + 1 + LEASE_TIME });
    });
  });
}
