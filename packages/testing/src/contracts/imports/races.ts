import { describe, expect, test } from 'bun:test';
import type { ImportJob, Uuid } from '@postshelf/domain';
import { ROUNDS, race } from '../race.ts';
import { addFolder, addWorkspace, NOW, sampleProcessing } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addImport, addImports, claim, heldBy, idsOf, LEASE_TIME, SAMPLE_URL } from './samples.ts';

const AFTER = NOW + LEASE_TIME;

/** What claims race with. */
export function describeImportRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

    /** An item whose job `worker` has claimed. */
    const addClaimed = async (workspaceId: Uuid) => {
      const item = await addImport(stores.one, workspaceId);
      expect(idsOf(await claim(stores.one, 'worker'))).toEqual([item.id]);
      return item;
    };
    const countOfJobs = async (): Promise<number> => (await stores.two.imports.depth()).jobs;

    test('each job goes to exactly one', async () => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      for (const round of rounds) {
        const items = [...(await addImports(stores.one, mine.id, 3)), ...(await addImports(stores.one, other.id, 3))];
        const limit = 4;
        const claims = await race(
          stores,
          round,
          (of) => claim(of, 'first', { limit }),
          (of) => claim(of, 'second', { limit }),
        );
        expect(claims.map((jobs) => jobs.length).toSorted()).toEqual([2, 4]);
        const ids = claims.flatMap(idsOf);
        expect(ids.toSorted()).toEqual(items.map((item) => item.id).toSorted());
        expect(await heldBy(stores.two, 'first', items)).toEqual(expect.arrayContaining(idsOf(claims[0])));
        expect(await heldBy(stores.one, 'second', items)).toEqual(expect.arrayContaining(idsOf(claims[1])));
      }
    });

    test('a workspace never has more under lease than it may', async () => {
      for (const round of rounds) {
        const { id } = await addWorkspace(stores.one);
        const items = await addImports(stores.one, id, 10);
        const take = (owner: string) => (of: Stores) => claim(of, owner, { perWorkspace: 2 });
        const claims = await Promise.all([
          race(stores, round, take('first'), take('second')),
          race(stores, round + 1, take('third'), take('fourth')),
        ]);
        expect(claims.flat(2)).toHaveLength(2);
        const held = await Promise.all(['first', 'second', 'third', 'fourth'].map((o) => heldBy(stores.two, o, items)));
        expect(held.flat()).toHaveLength(2);
      }
    });

    test('a lease that ran out goes to one', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addClaimed(id);
        const take = (owner: string) => (of: Stores) => claim(of, owner, { now: AFTER });
        const claims = await race(stores, round, take('second'), take('third'));
        expect(claims.flat()).toMatchObject([{ mediaId: item.id, claims: 2 }]);
        await stores.one.media.remove(item.id);
      }
    });

    test('a lease that ran out is renewed, or another claims the job: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addClaimed(id);
        const [held, claimed] = await race<readonly Uuid[]>(
          stores,
          round,
          (of) => heldBy(of, 'worker', [item], AFTER),
          async (of) => idsOf(await claim(of, 'other', { now: AFTER })),
        );
        expect([...held, ...claimed]).toEqual([item.id]);
        expect(await heldBy(stores.two, 'worker', [item], AFTER)).toEqual([...held]);
        await stores.one.media.remove(item.id);
      }
    });

    test('a job is claimed or not, and goes with its item', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addImport(stores.one, id);
        const [claimed, removed] = await race<unknown>(
          stores,
          round,
          (of) => claim(of, 'worker'),
          ({ media }) => media.remove(item.id),
        );
        const job: ImportJob = { mediaId: item.id, workspaceId: id, url: SAMPLE_URL, attempts: 0, claims: 1 };
        expect([[], [job]]).toContainEqual(claimed as never);
        expect(removed).toEqual([item.fullName]);
        expect(await countOfJobs()).toBe(0);
        expect(await heldBy(stores.two, 'worker', [item])).toEqual([]);
      }
    });

    test('a folder is removed, or it takes a new import: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const folder = await addFolder(stores.one, id);
        const item = sampleProcessing(id, { folderId: folder.id });
        const answers = await race<string | null>(
          stores,
          round,
          ({ folders }) => folders.remove(folder.id),
          ({ imports }) => imports.add(item, { url: SAMPLE_URL, attempts: 0 }, { dueAt: NOW }),
        );
        const removed = answers[0] === 'removed';
        expect(answers).toEqual(removed ? ['removed', 'folder_missing'] : ['not_empty', 'kept']);
        expect(await countOfJobs()).toBe(removed ? 0 : 1);
        await stores.one.media.remove(item.id);
      }
    });
  });
}
