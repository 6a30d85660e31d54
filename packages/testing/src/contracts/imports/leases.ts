import { describe, expect, test } from 'bun:test';
import { LEASE_TIME, mustNotDecide } from '../pending/kinds.ts';
import { addWorkspace, NOW, newId, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addImport, claim, heldBy, leaseOf } from './samples.ts';

const AFTER = NOW + LEASE_TIME;

/** Renewing, releasing and losing a lease. */
export function describeImportLeases(open: OpenStores): void {
  describeRenewing(open);
  describeReleasing(open);
  describeLosing(open);
}

function describeRenewing(open: OpenStores): void {
  describe('renewing', () => {
    const stores = storesOfEachTest(open);

    test('prolongs the lease', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      await claim(stores.one, 'worker');
      expect(await heldBy(stores.one, 'worker', [item], AFTER - 1)).toEqual([item.id]);
      expect(await claim(stores.two, 'other', { now: AFTER + LEASE_TIME - 2 })).toEqual([]);
      const claimed = await claim(stores.two, 'other', { now: AFTER + LEASE_TIME - 1 });
      expect(claimed).toMatchObject([{ mediaId: item.id, claims: 2 }]);
    });

    test('returns those that the owner holds', async () => {
      const { id } = await addWorkspace(stores.one);
      const mine = await addImport(stores.one, id, { start: { lease: leaseOf('worker') } });
      const alsoMine = await addImport(stores.one, id, { start: { lease: leaseOf('worker') } });
      const theirs = await addImport(stores.one, id, { start: { lease: leaseOf('other') } });
      const free = await addImport(stores.one, id);
      const image = sampleImage(id);
      await stores.one.media.insert([image]);
      const ids = [theirs.id, mine.id, newId(), free.id, image.id, mine.id];
      expect(await stores.two.imports.renew(ids, leaseOf('worker', AFTER))).toEqual(new Set([mine.id]));
      expect(await stores.two.imports.renew([], leaseOf('worker'))).toEqual(new Set());
      // Jobs that weren't given, aren't held or are free stay unchanged.
      const claimed = await claim(stores.one, 'third', { now: AFTER });
      expect(new Set(claimed.map((job) => job.mediaId))).toEqual(new Set([alsoMine.id, theirs.id, free.id]));
    });
  });
}

function describeReleasing(open: OpenStores): void {
  describe('releasing', () => {
    const stores = storesOfEachTest(open);

    test('makes the job free and due at its time, with the attempts', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      await claim(stores.one, 'worker');
      expect(await stores.one.imports.release(item.id, 'worker', { dueAt: NOW + 10, attempts: 3 })).toBe(true);
      expect(await heldBy(stores.one, 'worker', [item])).toEqual([]);
      expect(await stores.one.imports.release(item.id, 'worker', { dueAt: NOW, attempts: 9 })).toBe(false);
      expect(await claim(stores.two, 'other', { now: NOW + 9 })).toEqual([]);
      const claimed = await claim(stores.two, 'other', { now: NOW + 10 });
      expect(claimed).toMatchObject([{ mediaId: item.id, attempts: 3, claims: 2 }]);
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
    });

    test('with a count of claims sets that too', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      await claim(stores.one, 'worker');
      await stores.one.imports.release(item.id, 'worker', { dueAt: NOW, attempts: 0, claims: 0 });
      expect(await claim(stores.two, 'other')).toMatchObject([{ mediaId: item.id, claims: 1 }]);
    });

    test('of a job that is free or unknown is refused, and changes nothing', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id, { attempts: 1 });
      for (const mediaId of [item.id, newId()]) {
        expect(await stores.one.imports.release(mediaId, 'worker', { dueAt: NOW + 10, attempts: 9 })).toBe(false);
      }
      expect(await claim(stores.two, 'worker')).toMatchObject([{ mediaId: item.id, attempts: 1, claims: 1 }]);
    });
  });
}

/** However the lease was lost, its old owner can't change anything any more. */
function describeLosing(open: OpenStores): void {
  describe('an owner that lost its lease', () => {
    const stores = storesOfEachTest(open);

    /** An item whose job `loser` has claimed. */
    const addClaimed = async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id, { attempts: 1 });
      await claim(stores.one, 'loser');
      return item;
    };

    const expectPowerless = async (item: Awaited<ReturnType<typeof addClaimed>>) => {
      expect(await heldBy(stores.one, 'loser', [item], AFTER + LEASE_TIME)).toEqual([]);
      expect(await stores.one.imports.release(item.id, 'loser', { dueAt: 0, attempts: 9 })).toBe(false);
      expect(await stores.one.imports.finish(item.id, 'loser', mustNotDecide)).toBe(false);
    };

    test('to another owner that claimed after it expired', async () => {
      const item = await addClaimed();
      await claim(stores.two, 'winner', { now: AFTER });
      await expectPowerless(item);
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      expect(await claim(stores.one, 'third', { now: AFTER + LEASE_TIME - 1 })).toEqual([]);
      expect(await heldBy(stores.two, 'winner', [item], AFTER)).toEqual([item.id]);
      const claimed = await claim(stores.one, 'third', { now: AFTER + LEASE_TIME });
      expect(claimed).toMatchObject([{ mediaId: item.id, attempts: 1, claims: 3 }]);
    });

    test('by releasing', async () => {
      const item = await addClaimed();
      await stores.one.imports.release(item.id, 'loser', { dueAt: NOW + 1, attempts: 2 });
      await expectPowerless(item);
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      expect(await claim(stores.two, 'winner')).toEqual([]);
      expect(await claim(stores.two, 'winner', { now: NOW + 1 })).toMatchObject([{ attempts: 2, claims: 2 }]);
    });

    test('that it never had', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id, { start: { lease: leaseOf('LOSER') } });
      await expectPowerless(item);
      expect(await heldBy(stores.two, 'LOSER', [item])).toEqual([item.id]);
    });
  });
}
