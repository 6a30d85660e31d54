import { describe, expect, test } from 'bun:test';
import { outcomeOf } from '../../outcomes.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const LATER = NOW + 60_000;

/** The contract of {@link LibraryRepository}. */
export function describeLibraryRepository(name: string, open: OpenStores): void {
  describe(`${name}: library repository`, () => {
    const stores = storesOfEachTest(open);

    test('finds no library before one is created', async () => {
      expect(await stores.one.library.find()).toBeNull();
    });

    test('creates one library, however many callers create it', async () => {
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
        backedUpAt: null,
        verifiedAt: null,
      });
    });

    test('gives a library the age of its first workspace if there is one', async () => {
      await addWorkspace(stores.one);
      expect(await stores.two.library.findOrCreate(newId(), LATER)).toMatchObject({ createdAt: NOW });
    });

    test('changes the given fields and no others', async () => {
      const library = await stores.one.library.findOrCreate(newId(), NOW);
      expect(await stores.one.library.update({ restoredAt: LATER })).toEqual({ ...library, restoredAt: LATER });
      const marked = {
        ...library,
        restoredAt: null,
        storageMarkedAt: NOW,
        secretFingerprint: 'abc',
        backedUpAt: 5,
        verifiedAt: 6,
      };
      const { id: _, createdAt: __, generation: ___, ...change } = marked;
      expect(await stores.two.library.update(change)).toEqual(marked);
      expect(await stores.two.library.update({})).toEqual(marked);
      expect(await stores.one.library.find()).toEqual(marked);
    });

    test('keeps the first fingerprint', async () => {
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

    test('throws for a change if there is no library', async () => {
      expect(await outcomeOf(stores.one.library.update({ restoredAt: NOW }))).toThrow();
      expect(await outcomeOf(stores.one.library.claimSecret('one'))).toThrow();
      expect(await stores.two.library.find()).toBeNull();
    });
  });
}
