import { describe, expect, test } from 'bun:test';
import type { ImportJob, MediaWithCover, Uuid } from '@postshelf/domain';
import { ROUNDS, race } from '../race.ts';
import { addFolder, addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addImport, arrived, arrives, claim, coverFor, idsOf, LEASE_TIME } from './samples.ts';

const AFTER = NOW + LEASE_TIME;

/** What may come between an import and its end. */
export function describeImportEndRaces(open: OpenStores): void {
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

    test('an import is finished, or another claims its job: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addClaimed(id);
        const [finished, claimed] = await race<boolean | readonly ImportJob[]>(
          stores,
          round,
          ({ imports }) => imports.finish(item.id, 'worker', arrives(coverFor(item))),
          (of) => claim(of, 'other', { now: AFTER }),
        );
        expect(claimed).toHaveLength(finished ? 0 : 1);
        expect((await stores.two.media.find(item.id))?.item).toEqual(finished ? arrived(item) : item);
        await stores.one.media.remove(item.id);
      }
    });

    test('an import is finished once', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addClaimed(id);
        const covers = [coverFor(item), coverFor(item)] as const;
        const answers = await race(
          stores,
          round,
          ({ imports }) => imports.finish(item.id, 'worker', arrives(covers[0])),
          ({ imports }) => imports.finish(item.id, 'worker', arrives(covers[1])),
        );
        expect(answers.toSorted()).toEqual([false, true]);
        const cover = covers[answers[0] ? 0 : 1];
        expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(item), cover });
      }
    });

    test('no change of an item is lost while its import is finished', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addClaimed(id);
        const folder = await addFolder(stores.one, id);
        const change = { name: `changed ${round}`, label: 'Changed', folderId: folder.id };
        const [finished, changed] = await race<unknown>(
          stores,
          round,
          ({ imports }) => imports.finish(item.id, 'worker', arrives()),
          ({ media }) => media.update(item.id, change, NOW + 9),
        );
        expect(finished).toBe(true);
        const before = (changed as MediaWithCover).item.status === 'processing';
        const expected = before ? arrived({ ...item, ...change }) : { ...arrived(item), ...change, updatedAt: NOW + 9 };
        expect(await stores.two.media.find(item.id)).toEqual({ item: expected, cover: null });
      }
    });

    test('an item that is deleted stays so, and all its objects are told', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const round of rounds) {
        const item = await addClaimed(id);
        const cover = coverFor(item);
        const [finished, removed] = await race<unknown>(
          stores,
          round,
          ({ imports }) => imports.finish(item.id, 'worker', arrives(cover)),
          ({ media }) => media.remove(item.id),
        );
        const fullNames = finished ? [arrived(item).fullName, cover.fullName] : [item.fullName];
        expect(new Set(removed as string[])).toEqual(new Set(fullNames));
        expect(await stores.two.media.find(item.id)).toBeNull();
        expect(await stores.two.media.find(cover.id)).toBeNull();
        expect(await countOfJobs()).toBe(0);
      }
    });
  });
}
