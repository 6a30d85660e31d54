import { describe, expect, test } from 'bun:test';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const LATER = NOW + 60_000;

/** What every {@link LibraryRepository} does. */
export function describeLibraryRepository(name: string, open: OpenStores): void {
  describe(`${name}: library repository`, () => {
    const stores = storesOfEachTest(open);

    test('knows none before one is founded', async () => {
      expect(await stores.one.library.find()).toBeNull();
    });

    test('founds one library, whoever comes first and however often', async () => {
      const ids = [newId(), newId()] as const;
      const [one, two] = await Promise.all([
        stores.one.library.findOrCreate(ids[0], NOW),
        stores.two.library.findOrCreate(ids[1], NOW),
      ]);
      expect(one).toEqual(two);
      expect([...ids]).toContain(one.id);
      expect(await stores.two.library.findOrCreate(newId(), LATER)).toEqual(one);
      expect(await stores.one.library.find()).toEqual({
        id: one.id,
        createdAt: NOW,
        generation: 0,
        restoredAt: null,
        storageMarkedAt: null,
        secretFingerprint: null,
      });
    });

    test('lets one that has workspaces be as old as the first of them', async () => {
      await addWorkspace(stores.one);
      expect(await stores.two.library.findOrCreate(newId(), LATER)).toMatchObject({ createdAt: NOW });
    });

    test('changes what is given and nothing else', async () => {
      const library = await stores.one.library.findOrCreate(newId(), NOW);
      expect(await stores.one.library.update({ restoredAt: LATER })).toEqual({ ...library, restoredAt: LATER });
      const marked = { ...library, restoredAt: null, storageMarkedAt: NOW, secretFingerprint: 'abc' };
      const { restoredAt, storageMarkedAt, secretFingerprint } = marked;
      expect(await stores.two.library.update({ restoredAt, storageMarkedAt, secretFingerprint })).toEqual(marked);
      expect(await stores.two.library.update({})).toEqual(marked);
      expect(await stores.one.library.find()).toEqual(marked);
    });

    test('gives every generation once, each above the one before and above what the caller has seen', async () => {
      await stores.one.library.findOrCreate(newId(), NOW);
      const advance = (count: number) =>
        Array.from({ length: count }, (_, n) => (n % 2 === 0 ? stores.one : stores.two).library.advanceGeneration(0));
      const given = await Promise.all(advance(10));
      expect(given.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(await stores.one.library.advanceGeneration(100)).toBe(101);
      expect(await stores.two.library.advanceGeneration(3)).toBe(102);
      expect(await stores.two.library.find()).toMatchObject({ generation: 102 });
    });

    test('keeps the fingerprint of the secret that came first', async () => {
      await stores.one.library.findOrCreate(newId(), NOW);
      const [one, two] = await Promise.all([
        stores.one.library.claimSecret('one'),
        stores.two.library.claimSecret('two'),
      ]);
      expect(one).toBe(two);
      expect(await stores.one.library.claimSecret('three')).toBe(one);
      await stores.one.library.update({ secretFingerprint: null });
      expect(await stores.two.library.claimSecret('three')).toBe('three');
    });

    test('throws for a change where there is no library', async () => {
      await expect(stores.one.library.update({ restoredAt: NOW })).rejects.toThrow();
      await expect(stores.one.library.advanceGeneration(0)).rejects.toThrow();
      await expect(stores.one.library.claimSecret('one')).rejects.toThrow();
      expect(await stores.two.library.find()).toBeNull();
    });
  });
}
