import { describe, expect } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { testRace } from '../race.ts';
import { addChain, addFolder, addWorkspace, NOW, sampleFolder, sampleImage } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

/** Checks the rules that two concurrent callers could break together. */
export function describeFolderRaces(open: OpenStores): void {
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    testRace(stores, 'create exactly one of two siblings with the same name', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const [upper, lower] = [sampleFolder(id, { name: 'TWIN' }), sampleFolder(id, { name: 'twin' })];
      const answers = await race(
        ({ folders }) => folders.insert(upper),
        ({ folders }) => folders.insert(lower),
      );
      expect(answers.toSorted()).toEqual(['name_taken', null]);
      const found = await Promise.all([stores.two.folders.find(upper.id), stores.one.folders.find(lower.id)]);
      expect(found.map((folder) => folder !== null)).toEqual(answers.map((answer) => answer === null));
    });

    testRace(stores, 'never make a cycle by crossing moves', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const [a, b] = [await addChain(stores.one, id, 2), await addChain(stores.one, id, 2)];
      const answers = await race(
        ({ folders }) => folders.update(a.top.id, { parentId: b.bottom.id }, NOW),
        ({ folders }) => folders.update(b.top.id, { parentId: a.bottom.id }, NOW),
      );
      expect(answers.filter((answer) => answer === 'cycle')).toHaveLength(1);
      expect(await levelOf(stores.one, a.bottom.id)).toBeLessThanOrEqual(4);
      expect(await levelOf(stores.two, b.bottom.id)).toBeLessThanOrEqual(4);
    });

    testRace(stores, 'never nest folders too deeply by moves that each fit', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const add = () => addChain(stores.one, id, 6);
      const [upper, middle, lower] = [await add(), await add(), await add()];
      const answers = await race(
        ({ folders }) => folders.update(middle.top.id, { parentId: upper.bottom.id }, NOW),
        ({ folders }) => folders.update(lower.top.id, { parentId: middle.bottom.id }, NOW),
      );
      expect(answers.filter((answer) => answer === 'too_deep')).toHaveLength(1);
    });

    testRace(stores, 'delete a folder or put another into it, but never both', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const parent = await addFolder(stores.one, id);
      const child = sampleFolder(id, { parentId: parent.id });
      const answers = await race(
        ({ folders }) => folders.delete(parent.id),
        ({ folders }) => folders.insert(child),
      );
      expect(answers).toEqual(answers[0] === 'deleted' ? ['deleted', 'parent_missing'] : ['not_empty', null]);
      expect((await stores.two.folders.find(child.id)) === null).toBe(answers[0] === 'deleted');
    });

    testRace(stores, 'delete a folder or move an item into it, but never both', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const item = sampleImage(id);
      await stores.one.media.insert([item]);
      const [removed, moved] = await race(
        ({ folders }) => folders.delete(folder.id),
        ({ media }) => media.update(item.id, { folderId: folder.id }, NOW + 1),
      );
      const inFolder = { item: { ...item, folderId: folder.id, version: 2, updatedAt: NOW + 1 }, cover: null };
      expect(moved).toEqual(removed === 'deleted' ? 'folder_missing' : inFolder);
    });

    testRace(stores, 'delete a folder once', async (race) => {
      const folder = await addFolder(stores.one, (await addWorkspace(stores.one)).id);
      const remove = ({ folders }: Stores) => folders.delete(folder.id);
      expect((await race(remove, remove)).toSorted()).toEqual(['deleted', null]);
    });
  });
}

/** Returns the level of a folder, which is 1 at the top. Stops at a depth that only a cycle can reach. */
async function levelOf({ folders }: Stores, id: Uuid): Promise<number> {
  let level = 0;
  for (let at: Uuid | null = id; at !== null && level < 100; level += 1)
    at = (await folders.find(at))?.parentId ?? null;
  return level;
}
