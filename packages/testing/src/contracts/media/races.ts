import { describe, expect, test } from 'bun:test';
import { ROUNDS, race } from '../race.ts';
import { addFolder, addWorkspace, NOW, sampleCover, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

export function describeMediaRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    test('a folder is removed, or it takes a new item: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const folder = await addFolder(stores.one, id);
        const item = sampleImage(id, { folderId: folder.id });
        const answers = await race<string | null>(
          stores,
          round,
          ({ folders }) => folders.remove(folder.id),
          ({ media }) => media.insert([item]),
        );
        const removed = answers[0] === 'removed';
        expect(answers).toEqual(removed ? ['removed', 'folder_missing'] : ['not_empty', 'kept']);
        expect(await stores.one.media.find(item.id)).toEqual(removed ? null : { item, cover: null });
      }
    });

    test('a folder is removed, or an item moves into it: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const folder = await addFolder(stores.one, id);
        const item = sampleImage(id);
        await stores.one.media.insert([item]);
        const [removed, moved] = await race<unknown>(
          stores,
          round,
          ({ folders }) => folders.remove(folder.id),
          ({ media }) => media.update(item.id, { folderId: folder.id }, NOW + 1),
        );
        const inFolder = { item: { ...item, folderId: folder.id, updatedAt: NOW + 1 }, cover: null };
        expect(moved).toEqual(removed === 'removed' ? 'folder_missing' : inFolder);
      }
    });

    test('of two removals one gets the full names', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const video = sampleVideo(id);
        const cover = sampleCover(video);
        await stores.one.media.insert([video, cover]);
        const remove = ({ media }: Stores) => media.remove(video.id);
        const answers = await race(stores, round, remove, remove);
        expect(answers.filter((answer) => answer === null)).toHaveLength(1);
        expect(answers.flatMap((answer) => answer ?? []).sort()).toEqual([video.fullName, cover.fullName].sort());
      }
    });

    test('an item that is removed stays so, whoever changes it', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const item = sampleImage(id);
        await stores.one.media.insert([item]);
        const [removed, changed] = await race<unknown>(
          stores,
          round,
          ({ media }) => media.remove(item.id),
          ({ media }) => media.update(item.id, { name: 'changed' }, NOW + 1),
        );
        expect(removed).toEqual([item.fullName]);
        expect([null, { item: { ...item, name: 'changed', updatedAt: NOW + 1 }, cover: null }]).toContainEqual(
          changed as never,
        );
        expect(await stores.two.media.find(item.id)).toBeNull();
      }
    });

    test('two changes of different fields are both done', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const item = sampleImage(id);
        await stores.one.media.insert([item]);
        await race(
          stores,
          round,
          ({ media }) => media.update(item.id, { name: 'changed' }, NOW + 1),
          ({ media }) => media.update(item.id, { label: 'Changed' }, NOW + 1),
        );
        const expected = { ...item, name: 'changed', label: 'Changed', updatedAt: NOW + 1 };
        expect(await stores.two.media.find(item.id)).toEqual({ item: expected, cover: null });
      }
    });
  });
}
