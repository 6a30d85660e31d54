import { describe, expect } from 'bun:test';
import { type ImportJob, NO_TERMS } from '@postshelf/domain';
import { LEASE_TIME } from '../pending/kinds.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addImport, addImports, claim, heldBy, idsOf, SAMPLE_URL } from './samples.ts';

const AFTER = NOW + LEASE_TIME;

/** Races of claims with other calls. */
export function describeImportRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    testRace(stores, 'claim each job once', async (race) => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const items = [...(await addImports(stores.one, mine.id, 3)), ...(await addImports(stores.one, other.id, 3))];
      const claims = await race(
        (of) => claim(of, 'first', { limit: 4 }),
        (of) => claim(of, 'second', { limit: 4 }),
      );
      expect(claims.map((jobs) => jobs.length).toSorted()).toEqual([2, 4]);
      expect(claims.flatMap(idsOf).toSorted()).toEqual(items.map((item) => item.id).toSorted());
      expect(await heldBy(stores.two, 'first', items)).toEqual(expect.arrayContaining(idsOf(claims[0])));
      expect(await heldBy(stores.one, 'second', items)).toEqual(expect.arrayContaining(idsOf(claims[1])));
    });

    testRace(stores, 'claim no more of a workspace than it may have under lease', async (race) => {
      const items = await addImports(stores.one, (await addWorkspace(stores.one)).id, 10);
      const take = (owner: string) => (of: Stores) => claim(of, owner, { perWorkspace: 2 });
      const claims = await Promise.all([race(take('first'), take('second')), race(take('third'), take('fourth'))]);
      expect(claims.flat(2)).toHaveLength(2);
      const held = await Promise.all(['first', 'second', 'third', 'fourth'].map((o) => heldBy(stores.two, o, items)));
      expect(held.flat()).toHaveLength(2);
      for (const { id } of items) await stores.one.media.remove(id);
    });

    testRace(stores, 'renew a lease that ran out or claim the job: never both', async (race) => {
      const item = await addImport(stores.one, (await addWorkspace(stores.one)).id);
      expect(idsOf(await claim(stores.one, 'worker'))).toEqual([item.id]);
      const [held, claimed] = await race(
        (of) => heldBy(of, 'worker', [item], AFTER),
        async (of) => idsOf(await claim(of, 'other', { now: AFTER })),
      );
      // A renewal just after the lease was freed locks the job for a moment, and the claim skips it.
      const isFree = held.length + claimed.length === 0;
      const later = isFree ? idsOf(await claim(stores.one, 'other', { now: AFTER })) : [];
      expect([...held, ...claimed, ...later]).toEqual([item.id]);
      expect(await heldBy(stores.two, 'worker', [item], AFTER)).toEqual([...held]);
      await stores.one.media.remove(item.id);
    });

    testRace(stores, 'claim a job or not, which goes with its item', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      const [claimed, removed] = await race(
        (of) => claim(of, 'worker'),
        ({ media }) => media.remove(item.id),
      );
      const job: ImportJob = {
        mediaId: item.id,
        workspaceId: id,
        url: SAMPLE_URL,
        attempts: 0,
        claims: 1,
        terms: NO_TERMS,
      };
      expect([[], [job]]).toContainEqual(claimed as never);
      expect(removed).toEqual([item.fullName]);
      expect((await stores.two.imports.depth()).jobs).toBe(0);
      expect(await heldBy(stores.two, 'worker', [item])).toEqual([]);
    });
  });
}
