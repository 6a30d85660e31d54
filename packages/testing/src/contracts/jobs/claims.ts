import { describe, expect, test } from 'bun:test';
import { JOB_KINDS, type Uuid } from '@postshelf/domain';
import { addFit, addImport, addImports, claim, idsOf, LEASE_TIME, leaseOf, release } from '../job-samples.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { ADDED } from './added.ts';

/** Checks which jobs of one workspace a claim takes, with one caller at a time. */
export function describeJobClaims(open: OpenStores): void {
  describe('claiming', () => {
    const stores = storesOfEachTest(open);

    test('takes the jobs of a workspace in the order of their due times', async () => {
      const { id } = await addWorkspace(stores.one);
      const due = async (dueAt: number) => (await addImport(stores.one, id, { start: { dueAt } })).id;
      const third = await due(NOW - 1);
      const first = await due(NOW - 3);
      const fourth = await due(NOW);
      const second = await due(NOW - 2);
      for (const subjectId of [first, second, third, fourth]) {
        expect(idsOf(await claim(stores.two, 'import', 'worker'))).toEqual([subjectId]);
      }
      expect(await claim(stores.two, 'import', 'worker')).toEqual([]);
    });

    test('takes jobs that are due at the same time in the order of their ids', async () => {
      const { id } = await addWorkspace(stores.one);
      const ids = [await addFit(stores.one, id), await addFit(stores.one, id), await addFit(stores.one, id)];
      const request = { rules: { batch: 3, order: 'oldest' } } as const;
      expect(idsOf(await claim(stores.two, 'fit', 'worker', request))).toEqual(ids);
    });

    test('takes the newest first if the rules say so', async () => {
      const { id } = await addWorkspace(stores.one);
      const [old, older, late, newest] = await Promise.all(
        [NOW - 5, NOW - 9, NOW + 1, NOW].map((at) => ADDED.preview(stores.one, id, at)),
      );
      const request = { rules: { batch: 2, order: 'newest' } } as const;
      expect(idsOf(await claim(stores.two, 'preview', 'worker', request))).toEqual([old, newest].toSorted() as never);
      expect(idsOf(await claim(stores.two, 'preview', 'worker', request))).toEqual([older] as never);
      expect(idsOf(await claim(stores.two, 'preview', 'worker', { ...request, now: NOW + 1 }))).toEqual([
        late,
      ] as never);
    });

    test('returns the jobs of a batch oldest or newest first, as the rules say', async () => {
      for (const [order, of] of [
        ['oldest', (ids: readonly Uuid[]) => ids],
        ['newest', (ids: readonly Uuid[]) => ids.toReversed()],
      ] as const) {
        const ids = await addImports(stores.one, (await addWorkspace(stores.one)).id, 4);
        const lease = leaseOf('worker', NOW);
        const rules = { batch: 4, order };
        const request = { kind: 'import', rules, now: NOW, lease, perWorkspace: null, without: [] } as const;
        expect(idsOf(await stores.two.jobs.claim(request))).toEqual([...of(ids)]);
      }
    });

    test('takes at most a batch, of one workspace only', async () => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const ids = await addImports(stores.one, mine.id, 4);
      const theirs = await addImports(stores.one, other.id, 2);
      const request = { rules: { batch: 3, order: 'oldest' } } as const;
      const batches = [];
      for (let n = 0; n < 4; n += 1) batches.push(idsOf(await claim(stores.two, 'import', 'worker', request)));
      expect(batches.slice(0, 2)).toEqual(expect.arrayContaining([ids.slice(0, 3), theirs]));
      expect(batches.slice(2)).toEqual([ids.slice(3), []]);
    });

    test('takes only jobs of the given kind', async () => {
      for (const kind of JOB_KINDS) await ADDED[kind](stores.one, (await addWorkspace(stores.one)).id, NOW);
      for (const kind of JOB_KINDS) {
        expect(await claim(stores.two, kind, 'worker')).toMatchObject([{ kind }]);
        expect(await claim(stores.two, kind, 'worker')).toEqual([]);
      }
      expect(await stores.two.jobs.due(NOW)).toEqual([]);
    });

    for (const [whose, owner] of Object.entries({ 'another owner': 'worker', 'its own owner': 'stalled' })) {
      test(`gives a job whose lease expired to ${whose}, and not a millisecond earlier`, async () => {
        const { id: subjectId } = await addImport(stores.one, (await addWorkspace(stores.one)).id);
        expect(idsOf(await claim(stores.one, 'import', 'stalled'))).toEqual([subjectId]);
        for (const now of [NOW, NOW + LEASE_TIME - 1]) {
          expect(await stores.one.jobs.due(now)).toEqual([]);
          expect(await claim(stores.two, 'import', owner, { now })).toEqual([]);
        }
        expect(await stores.one.jobs.due(NOW + LEASE_TIME)).toEqual(['import']);
        expect(idsOf(await claim(stores.two, 'import', owner, { now: NOW + LEASE_TIME }))).toEqual([subjectId]);
      });
    }

    test('counts each claim, and does not change the attempts', async () => {
      const { id } = await addWorkspace(stores.one);
      const { id: subjectId } = await addImport(stores.one, id, { attempts: 1 });
      const job = { subjectId, attempts: 1 };
      expect(await claim(stores.one, 'import', 'first')).toMatchObject([{ ...job, claims: 1 }]);
      const now = NOW + LEASE_TIME;
      expect(await claim(stores.two, 'import', 'second', { now })).toMatchObject([{ ...job, claims: 2 }]);
      await release(stores.two, { kind: 'import', subjectId }, 'second', { attempts: 2, claims: 2 });
      expect(await claim(stores.one, 'import', 'third')).toMatchObject([{ ...job, attempts: 2, claims: 3 }]);
    });

    test('uses the given time, even if it goes back', async () => {
      const { id } = await addWorkspace(stores.one);
      const { id: subjectId } = await addImport(stores.one, id);
      expect(await claim(stores.two, 'import', 'early', { now: NOW - 1 })).toEqual([]);
      const killed = { now: NOW, lease: { owner: 'killed', until: NOW } };
      expect(idsOf(await claim(stores.one, 'import', 'killed', killed))).toEqual([subjectId]);
      for (const now of [NOW - 1, NOW - LEASE_TIME]) {
        expect(await claim(stores.two, 'import', 'early', { now })).toEqual([]);
      }
      expect(idsOf(await claim(stores.two, 'import', 'worker'))).toEqual([subjectId]);
    });

    test('takes jobs that are due even if its clock is behind the clock of an earlier claim', async () => {
      const { id } = await addWorkspace(stores.one);
      await addImport(stores.one, id, { start: { dueAt: NOW + 100 } });
      const first = await addImport(stores.one, id, { start: { dueAt: NOW } });
      // The clock of this caller is ahead.
      await claim(stores.one, 'import', 'ahead', { now: NOW + 100 });
      const second = await addImport(stores.one, id, { start: { dueAt: NOW + 10 } });
      expect(await claim(stores.two, 'import', 'behind', { now: NOW + 9 })).toEqual([]);
      expect(idsOf(await claim(stores.two, 'import', 'behind', { now: NOW + 10 }))).toEqual([second.id]);
      expect(first.id).not.toBe(second.id);
    });
  });
}
