import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { ROUNDS, race } from '../race.ts';
import { addChain, addFolder, addWorkspace, NOW, sampleFolder } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

/** The rules that two callers could break together. */
export function describeFolderRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    test('of twin siblings exactly one is made', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const upper = sampleFolder(id, { name: `TWIN ${round}` });
        const lower = sampleFolder(id, { name: `twin ${round}` });
        const answers = await race(
          stores,
          round,
          ({ folders }) => folders.insert(upper),
          ({ folders }) => folders.insert(lower),
        );
        expect(answers.toSorted()).toEqual(['name_taken', null]);
        const found = await Promise.all([stores.two.folders.find(upper.id), stores.one.folders.find(lower.id)]);
        expect(found.map((folder) => folder !== null)).toEqual(answers.map((answer) => answer === null));
      }
    });

    test('two crossing moves never make a cycle', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const a = await addChain(stores.one, id, 2);
        const b = await addChain(stores.one, id, 2);
        const answers = await race(
          stores,
          round,
          ({ folders }) => folders.update(a.top.id, { parentId: b.bottom.id }, NOW),
          ({ folders }) => folders.update(b.top.id, { parentId: a.bottom.id }, NOW),
        );
        expect(answers.filter((answer) => answer === 'cycle')).toHaveLength(1);
        expect(await levelOf(stores.one, a.bottom.id)).toBeLessThanOrEqual(4);
        expect(await levelOf(stores.two, b.bottom.id)).toBeLessThanOrEqual(4);
      }
    });

    test('two moves, each of which fits, never go too deep together', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const upper = await addChain(stores.one, id, 6);
        const middle = await addChain(stores.one, id, 6);
        const lower = await addChain(stores.one, id, 6);
        const answers = await race(
          stores,
          round,
          ({ folders }) => folders.update(middle.top.id, { parentId: upper.bottom.id }, NOW),
          ({ folders }) => folders.update(lower.top.id, { parentId: middle.bottom.id }, NOW),
        );
        expect(answers.filter((answer) => answer === 'too_deep')).toHaveLength(1);
      }
    });

    test('a folder is removed, or it takes another: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const parent = await addFolder(stores.one, id);
        const child = sampleFolder(id, { parentId: parent.id });
        const [removed, inserted] = await race<string | null>(
          stores,
          round,
          ({ folders }) => folders.remove(parent.id),
          ({ folders }) => folders.insert(child),
        );
        const expected = removed === 'removed' ? ['removed', 'parent_missing'] : ['not_empty', null];
        expect([removed, inserted]).toEqual(expected);
        expect((await stores.two.folders.find(child.id)) === null).toBe(removed === 'removed');
      }
    });

    test('of two removals one does it', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const folder = await addFolder(stores.one, id);
        const remove = ({ folders }: Stores) => folders.remove(folder.id);
        const answers = await race(stores, round, remove, remove);
        expect(answers.toSorted()).toEqual([null, 'removed']);
      }
    });
  });
}

/** Steps from a folder to the top, itself counted; stops where no tree without cycles could go. */
async function levelOf({ folders }: Stores, id: Uuid): Promise<number> {
  let level = 0;
  for (let at: Uuid | null = id; at !== null && level < 100; level += 1)
    at = (await folders.find(at))?.parentId ?? null;
  return level;
}
