import { describe, expect, test } from 'bun:test';
import type { JobFilter, ListedJob } from '@postshelf/domain';
import { addImports, claim, claimAll, heldBy, idsOf, LEASE_TIME, leaseOf, release } from '../job-samples.ts';
import { expectSlices } from '../lists.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { ADDED } from './added.ts';

/** Checks how operators see single jobs, and what they can do with them. */
export function describeJobOperators(open: OpenStores): void {
  describe('for operators, a job', () => {
    const stores = storesOfEachTest(open);

    const key = (subjectId: ListedJob['subjectId']) => ({ kind: 'import', subjectId }) as const;

    /** Adds a workspace with an import in each state. */
    const addAll = async () => {
      const { id } = await addWorkspace(stores.one);
      const [failed, running, waiting] = await addImports(stores.one, id, 3, NOW - 9);
      if (!(failed && running && waiting)) throw new Error('A sample is missing.');
      for (let n = 0; n < 2; n += 1) await claim(stores.one, 'import', 'worker');
      await stores.one.jobs.fail(key(failed), 'worker', 'It can not be done.');
      return { id, failed, running, waiting };
    };

    test('is found in its state', async () => {
      const { id, failed, running, waiting } = await addAll();
      const job = { kind: 'import', workspaceId: id, addedAt: NOW, attempts: 0, reason: null } as const;
      expect(await stores.two.jobs.find(key(failed))).toEqual({
        ...job,
        ...{ subjectId: failed, state: 'failed', dueAt: null, claims: 1, reason: 'It can not be done.' },
      });
      const leased = { subjectId: running, state: 'running', dueAt: NOW + LEASE_TIME, claims: 1 } as const;
      expect(await stores.two.jobs.find(key(running))).toEqual({ ...job, ...leased });
      const free = { subjectId: waiting, state: 'waiting', dueAt: NOW - 7, claims: 0 } as const;
      expect(await stores.two.jobs.find(key(waiting))).toEqual({ ...job, ...free });
      expect(await stores.two.jobs.find({ kind: 'fit', subjectId: waiting })).toBeNull();
      expect(await stores.two.jobs.find(key(newId()))).toBeNull();
    });

    test('is listed by kind, state and workspace', async () => {
      const { id, failed, running, waiting } = await addAll();
      const other = await addWorkspace(stores.one);
      const preview = await ADDED.preview(stores.one, other.id, NOW);
      const check = await ADDED.check(stores.one, other.id, NOW);
      const expectListed = async (filter: JobFilter, ids: readonly ListedJob['subjectId'][]): Promise<void> => {
        const expected: ListedJob[] = [];
        for (const subjectId of ids) {
          const kind = subjectId === preview ? 'preview' : subjectId === check ? 'check' : 'import';
          const job = await stores.one.jobs.find({ kind, subjectId });
          if (job) expected.push(job);
        }
        await expectSlices((slice) => stores.two.jobs.list(filter, slice), expected);
      };
      await expectListed({}, [check, failed, running, waiting, preview]);
      await expectListed({ kind: 'import' }, [failed, running, waiting]);
      await expectListed({ state: 'waiting' }, [check, waiting, preview]);
      await expectListed({ state: 'running' }, [running]);
      await expectListed({ workspaceId: id, state: 'failed' }, [failed]);
      await expectListed({ workspaceId: other.id }, [preview]);
      expect(await stores.two.jobs.list({ kind: 'fit' }, { offset: 0, limit: 5 })).toEqual({ items: [], total: 0 });
    });

    test('that waits is due immediately on a retry, and one that has failed starts again', async () => {
      const { failed, running, waiting } = await addAll();
      await claim(stores.one, 'import', 'worker');
      const later = { dueAt: NOW + 500, attempts: 2, claims: 1, reason: 'no answer' };
      await release(stores.one, key(waiting), 'worker', later);
      const again = { state: 'waiting', dueAt: NOW + 1 } as const;
      expect(await stores.two.jobs.retry(key(waiting), NOW + 1)).toMatchObject({ ...again, attempts: 2, claims: 1 });
      expect(await stores.two.jobs.retry(key(failed), NOW + 1)).toMatchObject({ ...again, claims: 0, reason: null });
      const before = await stores.one.jobs.find(key(running));
      expect(await stores.two.jobs.retry(key(running), NOW + 1)).toEqual(before);
      expect(await stores.two.jobs.retry(key(newId()), NOW + 1)).toBeNull();
      const claimed = await claimAll(stores.one, 'import', 'other', { now: NOW + 1 });
      expect([...claimed].sort()).toEqual([failed, waiting].sort());
    });

    test('is taken over from its worker, which loses it', async () => {
      const { failed, running, waiting } = await addAll();
      for (const subjectId of [failed, running, waiting]) {
        const job = await stores.two.jobs.takeOver(key(subjectId), leaseOf('operator', NOW + 5));
        expect(job).toMatchObject(key(subjectId));
        expect(await heldBy(stores.one, 'worker', 'import', [subjectId])).toEqual([]);
      }
      expect(await stores.one.jobs.complete(key(running), 'worker')).toBe(false);
      expect(await claim(stores.one, 'import', 'other', { now: NOW + LEASE_TIME + 4 })).toEqual([]);
      // The operator's lease ends like any other.
      expect(await claim(stores.one, 'import', 'other', { now: NOW + LEASE_TIME + 5 })).toHaveLength(1);
      expect(await stores.two.jobs.takeOver(key(newId()), leaseOf('operator'))).toBeNull();
    });

    testRace(stores, 'is taken over or claimed, and belongs to one owner', async (race) => {
      const subjectId = await ADDED.import(stores.one, (await addWorkspace(stores.one)).id, NOW);
      const [taken] = await race(
        ({ jobs }) => jobs.takeOver(key(subjectId), leaseOf('operator')),
        async (of) => idsOf(await claim(of, 'import', 'worker')),
      );
      expect(taken).not.toBeNull();
      const held = [
        await heldBy(stores.two, 'operator', 'import', [subjectId]),
        await heldBy(stores.two, 'worker', 'import', [subjectId]),
      ];
      // Only the owner that claimed last holds the job.
      expect(held.flat()).toEqual([subjectId]);
      await stores.one.media.delete(subjectId);
    });
  });
}
