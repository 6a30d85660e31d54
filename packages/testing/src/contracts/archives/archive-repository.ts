import { describe, expect, test } from 'bun:test';
import { type Archive, MAX_ARCHIVES, type Uuid } from '@postshelf/domain';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

export const sampleArchive = (workspaceId: Uuid, details: Partial<Archive> = {}): Archive => ({
  id: newId(),
  workspaceId,
  mediaIds: [newId()],
  expiresAt: NOW + 1000,
  ...details,
});

/** The contract of {@link ArchiveRepository}. */
export function describeArchiveRepository(name: string, open: OpenStores): void {
  describe(`${name}: archive repository`, () => {
    const stores = storesOfEachTest(open);

    test('keeps archives as they were given, for every instance, until they are pruned', async () => {
      const { id } = await addWorkspace(stores.one);
      const large = sampleArchive(id, { mediaIds: Array.from({ length: 10_000 }, newId) });
      const expired = sampleArchive(id, { expiresAt: NOW - 1 });
      for (const archive of [large, expired]) expect(await stores.one.archives.insert(archive, NOW)).toBe('kept');
      expect(await stores.two.archives.find(large.id)).toEqual(large);
      expect(await stores.two.archives.find(expired.id)).toEqual(expired);
      expect(await stores.two.archives.find(newId())).toBeNull();
      expect(await stores.two.archives.prune(NOW, 10)).toBe(1);
      expect(await stores.one.archives.find(expired.id)).toBeNull();
      expect(await stores.one.archives.find(large.id)).toEqual(large);
    });

    test('prunes at most the given number, the longest expired first', async () => {
      const { id } = await addWorkspace(stores.one);
      const expired = [3, 1, 2].map((age) => sampleArchive(id, { expiresAt: NOW - age }));
      for (const archive of expired) await stores.one.archives.insert(archive, NOW);
      expect(await stores.one.archives.prune(NOW, 2)).toBe(2);
      const left = await Promise.all(expired.map((archive) => stores.one.archives.find(archive.id)));
      expect(left.map((archive) => archive?.expiresAt ?? null)).toEqual([null, NOW - 1, null]);
      expect(await stores.one.archives.prune(NOW, 2)).toBe(1);
    });

    test('removes archives with their workspace, and inserts none for one that is being removed', async () => {
      const { id } = await addWorkspace(stores.one);
      const archive = sampleArchive(id);
      await stores.one.archives.insert(archive, NOW);
      await stores.one.workspaces.beginRemoval(id, NOW);
      expect(await stores.two.archives.insert(sampleArchive(id), NOW)).toBe('gone');
      expect(await stores.two.archives.insert(sampleArchive(newId()), NOW)).toBe('gone');
      while (await stores.one.workspaces.removeBatch(id, 100, NOW));
      expect(await stores.two.archives.find(archive.id)).toBeNull();
    });

    let full: Uuid;
    testRace(stores, 'never keeps too many unexpired archives of a workspace', async (race, round) => {
      const later = NOW + round * 1000;
      const insert = (store: typeof stores.one) =>
        store.archives.insert(sampleArchive(full, { expiresAt: later + 1000 }), later);
      if (round === 0) full = (await addWorkspace(stores.one)).id;
      // In each round, the archives of earlier rounds have expired already.
      for (let n = 1; n < MAX_ARCHIVES; n += 1) await insert(stores.one);
      expect((await race(insert, insert)).toSorted()).toEqual(['full', 'kept']);
    });
  });
}
