import { describe, expect, test } from 'bun:test';
import { refusalOf } from '../refusals.ts';
import { addWorkspace, NOW, newId, sampleImage, sampleTemporary } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const UNTIL = NOW + 70_000;

/** The contract of {@link FenceRepository}. */
export function describeFenceRepository(name: string, open: OpenStores): void {
  describe(`${name}: fence`, () => {
    const stores = storesOfEachTest(open);

    test('is empty at first', async () => {
      expect(await stores.one.fence.find()).toEqual({ current: null, previous: null, movedTo: null });
      expect(await stores.one.fence.isLeased(NOW)).toBe(false);
    });

    test('has one lease, which its owner renews and releases', async () => {
      const owners = Array.from(
        { length: 8 },
        (_, n) => [n % 2 === 0 ? stores.one : stores.two, `owner ${n}`] as const,
      );
      const taken = await Promise.all(owners.map(([{ fence }, owner]) => fence.takeLease(owner, NOW, UNTIL)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      const owner = `owner ${taken.indexOf(true)}`;
      expect(await stores.one.fence.takeLease(owner, NOW + 1, UNTIL + 1)).toBe(true);
      expect(await stores.one.fence.takeLease('another', UNTIL, UNTIL + 5)).toBe(false);
      expect(await stores.two.fence.isLeased(UNTIL)).toBe(true);
      expect(await stores.two.fence.isLeased(UNTIL + 1)).toBe(false);
      await stores.one.fence.releaseLease('another');
      expect(await stores.one.fence.takeLease('another', NOW, UNTIL)).toBe(false);
      await stores.two.fence.releaseLease(owner);
      expect(await stores.one.fence.takeLease('another', NOW, UNTIL)).toBe(true);
    });

    test('ignores a lease from a clock that was a day ahead', async () => {
      await stores.one.fence.takeLease('ahead', NOW + 86_400_000, UNTIL + 86_400_000);
      expect(await stores.two.fence.takeLease('right', NOW, UNTIL)).toBe(true);
    });

    test('is changed only by the lease owner, and only from its current value', async () => {
      const { fence } = stores.one;
      expect(await fence.change('me', null, 'a')).toBe(false);
      await fence.takeLease('me', NOW, UNTIL);
      expect(await fence.change('me', null, 'a')).toBe(true);
      expect(await stores.two.fence.find()).toMatchObject({ current: 'a', previous: null });
      expect(await stores.two.fence.change('another', 'a', 'b')).toBe(false);
      expect(await fence.change('me', null, 'b')).toBe(false);
      expect(await fence.change('me', 'a', 'b')).toBe(true);
      expect(await stores.two.fence.find()).toMatchObject({ current: 'b', previous: 'a' });
    });

    test('is not changed once the library has been moved', async () => {
      const { fence } = stores.one;
      await fence.takeLease('me', NOW, UNTIL);
      await stores.two.fence.set({ current: 'a', movedTo: 'elsewhere' });
      expect(await fence.change('me', 'a', 'b')).toBe(false);
      expect(await stores.two.fence.find()).toMatchObject({ current: 'a' });
      await stores.two.fence.set({ movedTo: null });
      expect(await fence.change('me', 'a', 'b')).toBe(true);
    });

    test('refuses all writes to a library that was moved, until the move is revoked', async () => {
      const workspace = await addWorkspace(stores.one);
      await stores.two.fence.set({ movedTo: 'elsewhere' });
      for (const { media } of [stores.one, stores.two])
        expect(await refusalOf(media.insert([sampleImage(workspace.id)]))).toMatchObject({ code: 'unavailable' });
      expect(await stores.one.media.listActive(null, 1)).toEqual([]);
      await stores.one.fence.set({ movedTo: null });
      await stores.two.media.insert([sampleImage(workspace.id)]);
    });

    test('can be overwritten without the lease', async () => {
      await stores.one.fence.takeLease('me', NOW, UNTIL);
      await stores.two.fence.set({ current: 'c', previous: null, movedTo: 'elsewhere' });
      await stores.two.fence.set({});
      expect(await stores.one.fence.find()).toEqual({ current: 'c', previous: null, movedTo: 'elsewhere' });
      await stores.one.fence.set({ movedTo: null });
      expect(await stores.two.fence.find()).toEqual({ current: 'c', previous: null, movedTo: null });
    });
  });

  describe(`${name}: deletions`, () => {
    const stores = storesOfEachTest(open);

    test('are recorded with the deleted rows, and listed until they are cleared', async () => {
      const { id } = await addWorkspace(stores.one);
      const [kept, gone] = [sampleImage(id), sampleImage(id)];
      await stores.one.media.insert([kept, gone]);
      await stores.one.media.delete(gone.id, NOW);
      const names = [kept.fullName, gone.fullName];
      expect(await stores.two.deletions.list(10)).toEqual([{ id: gone.id, fullName: gone.fullName, deletedAt: NOW }]);
      expect(await stores.two.media.existingFullNames(names)).toEqual(new Set(names));
      await stores.two.deletions.remove(await stores.two.deletions.list(10));
      expect(await stores.one.deletions.list(10)).toEqual([]);
      expect(await stores.one.media.existingFullNames(names)).toEqual(new Set([kept.fullName]));
    });

    test('include the upload that a deleted item was waiting for', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleTemporary(id);
      await stores.one.media.insert([item]);
      await stores.one.media.delete(item.id, NOW);
      const names = (await stores.two.deletions.list(10)).map(({ id, fullName }) => [id, fullName]);
      expect(new Map(names.map(([id, name]) => [name, id]))).toEqual(
        new Map([item.fullName, null].map((name) => [name, item.id])),
      );
      await stores.one.deletions.remove(await stores.one.deletions.list(10));
      expect(await stores.one.deletions.list(10)).toEqual([]);
    });

    test('are recorded once, and listed in pages, the oldest first', async () => {
      const { deletions } = stores.one;
      const uploads = [3, 1, 2].map((after) => ({ id: newId(), fullName: null, deletedAt: NOW + after }));
      const [last, first, second] = uploads;
      expect(await deletions.record([])).toBe(0);
      expect(await deletions.record(uploads)).toBe(3);
      const sameId = { id: first?.id ?? newId(), fullName: 'a/b/c.png', deletedAt: NOW + 1 };
      expect(await stores.two.deletions.record([...uploads.map((one) => ({ ...one, deletedAt: NOW })), sameId])).toBe(
        1,
      );
      expect(await deletions.list(2)).toEqual([sameId, first].flatMap((one) => one ?? []));
      expect(await stores.two.deletions.list(10, first)).toEqual([second, last].flatMap((one) => one ?? []));
      expect(await deletions.list(10, last)).toEqual([]);
    });
  });
}
