import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addImport, claim, heldBy, idsOf, LEASE_TIME, leaseOf, release } from '../job-samples.ts';
import { addWorkspace, NOW, newId, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { ADDED } from './added.ts';

const AFTER = NOW + LEASE_TIME;

/** Checks how a lease is renewed, ended in each way, and lost. */
export function describeJobLeases(open: OpenStores): void {
  describeRenewing(open);
  describeEnding(open);
  describeLosing(open);
}

function describeRenewing(open: OpenStores): void {
  describe('renewing a lease', () => {
    const stores = storesOfEachTest(open);

    test('prolongs it', async () => {
      const { id } = await addImport(stores.one, (await addWorkspace(stores.one)).id);
      await claim(stores.one, 'import', 'worker');
      expect(await heldBy(stores.one, 'worker', 'import', [id], AFTER - 1)).toEqual([id]);
      expect(await claim(stores.two, 'import', 'other', { now: AFTER + LEASE_TIME - 2 })).toEqual([]);
      const claimed = await claim(stores.two, 'import', 'other', { now: AFTER + LEASE_TIME - 1 });
      expect(claimed).toMatchObject([{ subjectId: id, claims: 2 }]);
    });

    test('by a clock that was set back makes it end earlier', async () => {
      const { id } = await addImport(stores.one, (await addWorkspace(stores.one)).id);
      await claim(stores.one, 'import', 'worker');
      expect(await heldBy(stores.one, 'worker', 'import', [id], NOW - LEASE_TIME)).toEqual([id]);
      expect(await stores.two.jobs.due(NOW)).toEqual(['import']);
      expect(idsOf(await claim(stores.two, 'import', 'other'))).toEqual([id]);
    });

    test('returns the jobs that the owner holds', async () => {
      const { id } = await addWorkspace(stores.one);
      const add = async (owner: string) => (await addImport(stores.one, id, { start: { lease: leaseOf(owner) } })).id;
      const [mine, alsoMine, theirs] = [await add('worker'), await add('worker'), await add('other')];
      const free = (await addImport(stores.one, id)).id;
      const image = sampleImage(id);
      await stores.one.media.insert([image]);
      const ids = [theirs, mine, newId(), free, image.id, mine];
      expect(await stores.two.jobs.renew('import', ids, leaseOf('worker', AFTER))).toEqual(new Set([mine]));
      expect(await stores.two.jobs.renew('import', [], leaseOf('worker'))).toEqual(new Set());
      expect(await stores.two.jobs.renew('fit', [mine], leaseOf('worker'))).toEqual(new Set());
      // The renewal changed no job that it didn't name, that another owner holds, or that is free, so all of these can
      // be claimed.
      const request = { now: AFTER, rules: { batch: 9, order: 'oldest' } } as const;
      const claimed = idsOf(await claim(stores.one, 'import', 'third', request));
      expect(new Set(claimed)).toEqual(new Set([alsoMine, theirs, free]));
    });
  });
}

function describeEnding(open: OpenStores): void {
  describe('a job', () => {
    const stores = storesOfEachTest(open);

    const addClaimed = async () => {
      const subjectId = await ADDED.import(stores.one, (await addWorkspace(stores.one)).id, NOW);
      await claim(stores.one, 'import', 'worker');
      return { kind: 'import', subjectId } as const;
    };

    test('that is released is free and due at its time, with the given counts', async () => {
      const key = await addClaimed();
      expect(await release(stores.one, key, 'worker', { dueAt: NOW + 10, attempts: 3, claims: 1 })).toBe(true);
      expect(await heldBy(stores.one, 'worker', 'import', [key.subjectId])).toEqual([]);
      expect(await stores.two.jobs.due(NOW + 9)).toEqual([]);
      expect(await claim(stores.two, 'import', 'other', { now: NOW + 9 })).toEqual([]);
      expect(await stores.two.jobs.due(NOW + 10)).toEqual(['import']);
      const claimed = await claim(stores.two, 'import', 'other', { now: NOW + 10 });
      expect(claimed).toMatchObject([{ ...key, attempts: 3, claims: 2 }]);
    });

    test('that is released without claims starts again', async () => {
      const key = await addClaimed();
      await release(stores.one, key, 'worker', { reason: 'the server stopped' });
      expect(await claim(stores.two, 'import', 'other')).toMatchObject([{ ...key, attempts: 0, claims: 1 }]);
    });

    test('that is completed no longer exists', async () => {
      const key = await addClaimed();
      expect(await stores.two.jobs.complete(key, 'worker')).toBe(true);
      expect(await stores.two.jobs.complete(key, 'worker')).toBe(false);
      expect(await claim(stores.two, 'import', 'other', { now: AFTER })).toEqual([]);
      expect((await stores.two.jobs.figures()).get('import')).toMatchObject({ waiting: 0, running: 0, failed: 0 });
    });

    test('that has failed permanently is kept, and never claimed again', async () => {
      const key = await addClaimed();
      expect(await stores.one.jobs.fail(key, 'worker', 'It can not be done.')).toBe(true);
      expect(await stores.one.jobs.fail(key, 'worker', 'It can not be done.')).toBe(false);
      const now = Number.MAX_SAFE_INTEGER - LEASE_TIME;
      expect(await claim(stores.two, 'import', 'other', { now })).toEqual([]);
      expect(await stores.two.jobs.due(now)).toEqual([]);
      expect((await stores.two.jobs.figures()).get('import')).toMatchObject({ waiting: 0, running: 0, failed: 1 });
    });
  });
}

/** Checks that the old owner of a lost lease can't change anything any more, regardless of how the lease was lost. */
function describeLosing(open: OpenStores): void {
  describe('an owner', () => {
    const stores = storesOfEachTest(open);

    /** Adds a job that `loser` has claimed, and returns its subject. */
    const addClaimed = async (): Promise<Uuid> => {
      const { id } = await addImport(stores.one, (await addWorkspace(stores.one)).id, { attempts: 1 });
      await claim(stores.one, 'import', 'loser');
      return id;
    };

    const expectPowerless = async (subjectId: Uuid) => {
      const key = { kind: 'import', subjectId } as const;
      expect(await heldBy(stores.one, 'loser', 'import', [subjectId], AFTER + LEASE_TIME)).toEqual([]);
      expect(await release(stores.one, key, 'loser', { dueAt: 0, attempts: 9 })).toBe(false);
      expect(await stores.one.jobs.complete(key, 'loser')).toBe(false);
      expect(await stores.one.jobs.fail(key, 'loser', 'reason')).toBe(false);
    };

    test('changes nothing after another owner has claimed its expired job', async () => {
      const id = await addClaimed();
      await claim(stores.two, 'import', 'winner', { now: AFTER });
      await expectPowerless(id);
      expect(await claim(stores.one, 'import', 'third', { now: AFTER + LEASE_TIME - 1 })).toEqual([]);
      expect(await heldBy(stores.two, 'winner', 'import', [id], AFTER)).toEqual([id]);
      const claimed = await claim(stores.one, 'import', 'third', { now: AFTER + LEASE_TIME });
      expect(claimed).toMatchObject([{ subjectId: id, attempts: 1, claims: 3 }]);
    });

    test('changes nothing after it has released a job', async () => {
      const id = await addClaimed();
      await release(stores.one, { kind: 'import', subjectId: id }, 'loser', { dueAt: NOW + 1, attempts: 2, claims: 1 });
      await expectPowerless(id);
      expect(await claim(stores.two, 'import', 'winner')).toEqual([]);
      const claimed = await claim(stores.two, 'import', 'winner', { now: NOW + 1 });
      expect(claimed).toMatchObject([{ attempts: 2, claims: 2 }]);
    });

    test('changes nothing of a job that it never held', async () => {
      const { id } = await addWorkspace(stores.one);
      const leased = (await addImport(stores.one, id, { start: { lease: leaseOf('LOSER') } })).id;
      const free = (await addImport(stores.one, id, { start: { dueAt: AFTER } })).id;
      for (const subjectId of [leased, free, newId()]) await expectPowerless(subjectId);
      expect(await heldBy(stores.two, 'LOSER', 'import', [leased])).toEqual([leased]);
      expect(await claim(stores.two, 'import', 'other', { now: AFTER - 1 })).toEqual([]);
    });

    test('keeps an expired lease until another owner takes it', async () => {
      const id = await addClaimed();
      expect(await heldBy(stores.one, 'loser', 'import', [id], AFTER + 5)).toEqual([id]);
      expect(await claim(stores.two, 'import', 'other', { now: AFTER + 5 })).toEqual([]);
    });
  });
}
