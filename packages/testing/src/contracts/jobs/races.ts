import { describe, expect } from 'bun:test';
import { JOB_KINDS, type JobKind, type Uuid } from '@postshelf/domain';
import { addImport, addImports, claim, claimAll, heldBy, idsOf, LEASE_TIME, release } from '../job-samples.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { ADDED } from './added.ts';

const AFTER = NOW + LEASE_TIME;

/** Checks races of claims with each other and with other calls. */
export function describeJobRaces(open: OpenStores): void {
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    const expectOnce = async (kind: JobKind, subjectId: Uuid, claims: readonly (readonly Uuid[])[]) => {
      // If two claims meet, each may skip the job because the other one has locked it for a moment. The job is then
      // still free.
      const rest = claims.flat().length === 0 ? idsOf(await claim(stores.one, kind, 'first')) : [];
      expect([...claims.flat(), ...rest]).toEqual([subjectId]);
    };

    testRace(stores, 'claim a job of any kind once, and again after its owner was killed', async (race) => {
      for (const kind of JOB_KINDS) {
        const subjectId = await ADDED[kind](stores.one, (await addWorkspace(stores.one)).id, NOW);
        const claims = await race(
          async (of) => idsOf(await claim(of, kind, 'first')),
          async (of) => idsOf(await claim(of, kind, 'second')),
        );
        await expectOnce(kind, subjectId, claims);
        const [winner, next] = claims[1].length > 0 ? ['second', 'first'] : ['first', 'second'];
        // The winner no longer renews its lease.
        expect(await claim(stores.two, kind, `${next}`, { now: AFTER - 1 })).toEqual([]);
        expect(idsOf(await claim(stores.two, kind, `${next}`, { now: AFTER }))).toEqual([subjectId]);
        expect(await stores.one.jobs.complete({ kind, subjectId }, `${winner}`)).toBe(false);
        expect(await stores.two.jobs.complete({ kind, subjectId }, `${next}`)).toBe(true);
      }
    });

    testRace(stores, 'claim each job of several workspaces once', async (race) => {
      const ids: Uuid[] = [];
      for (let n = 0; n < 3; n += 1)
        ids.push(...(await addImports(stores.one, (await addWorkspace(stores.one)).id, 4)));
      const claims = await race(
        (of) => claimAll(of, 'import', 'first'),
        (of) => claimAll(of, 'import', 'second'),
      );
      const rest = await claimAll(stores.one, 'import', 'third');
      expect([...claims.flat(), ...rest].toSorted()).toEqual(ids.toSorted());
      expect(await heldBy(stores.two, 'first', 'import', ids)).toEqual(expect.arrayContaining([...claims[0]]));
      expect(await heldBy(stores.one, 'second', 'import', ids)).toEqual(expect.arrayContaining([...claims[1]]));
      for (const id of ids) await stores.one.media.delete(id);
    });

    testRace(stores, 'claim no more jobs of a workspace than its limit', async (race) => {
      const ids = await addImports(stores.one, (await addWorkspace(stores.one)).id, 10);
      const take = (owner: string) => (of: Stores) => claimAll(of, 'import', owner, { perWorkspace: 2 });
      const claims = await Promise.all([race(take('first'), take('second')), race(take('third'), take('fourth'))]);
      const rest = await claimAll(stores.one, 'import', 'first', { perWorkspace: 2 });
      expect([...claims.flat(2), ...rest]).toHaveLength(2);
      const owners = ['first', 'second', 'third', 'fourth'];
      const held = await Promise.all(owners.map((owner) => heldBy(stores.two, owner, 'import', ids)));
      expect(held.flat()).toHaveLength(2);
      for (const id of ids) await stores.one.media.delete(id);
    });

    testRace(stores, 'renew an expired lease or claim the job, but never both', async (race) => {
      const { id } = await addImport(stores.one, (await addWorkspace(stores.one)).id);
      expect(idsOf(await claim(stores.one, 'import', 'worker'))).toEqual([id]);
      const [held, claimed] = await race(
        (of) => heldBy(of, 'worker', 'import', [id], AFTER),
        async (of) => idsOf(await claim(of, 'import', 'other', { now: AFTER })),
      );
      // A renewal that comes too late still locks the job for a moment. A claim at that moment skips the job, which
      // then stays free.
      const isFree = held.length + claimed.length === 0;
      const later = isFree ? idsOf(await claim(stores.one, 'import', 'other', { now: AFTER })) : [];
      expect([...held, ...claimed, ...later]).toEqual([id]);
      expect(await heldBy(stores.two, 'worker', 'import', [id], AFTER)).toEqual([...held]);
      await stores.one.media.delete(id);
    });

    testRace(stores, 'release a job and claim others without losing any', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const ids = await addImports(stores.one, id, 2);
      const [first] = await claim(stores.one, 'import', 'worker');
      if (!first) throw new Error('There is no job.');
      const [released, claimed] = await race(
        (of) => release(of, first, 'worker'),
        (of) => claimAll(of, 'import', 'other'),
      );
      expect(released).toBe(true);
      const rest = await claimAll(stores.two, 'import', 'other');
      expect([...claimed, ...rest].toSorted()).toEqual(ids.toSorted());
      for (const one of ids) await stores.one.media.delete(one);
    });

    testRace(stores, 'add a job and claim the last one of the workspace without losing any', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const [last] = await addImports(stores.one, id, 1);
      const [added, claimed] = await race(
        async (of) => (await addImport(of, id)).id,
        (of) => claimAll(of, 'import', 'worker'),
      );
      const rest = await claimAll(stores.two, 'import', 'worker');
      expect([...claimed, ...rest].toSorted()).toEqual([added, last].flatMap((one) => one ?? []).toSorted());
      for (const one of [...claimed, ...rest]) await stores.one.media.delete(one);
    });

    testRace(stores, 'claim a job or not while it is deleted with its item', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      const [claimed, removed] = await race(
        async (of) => idsOf(await claim(of, 'import', 'worker')),
        ({ media }) => media.delete(item.id),
      );
      expect([[], [item.id]]).toContainEqual(claimed as never);
      expect(removed).toEqual([item.fullName]);
      expect((await stores.two.jobs.figures()).get('import')).toMatchObject({ waiting: 0, running: 0 });
      expect(await heldBy(stores.two, 'worker', 'import', [item.id])).toEqual([]);
    });
  });
}
