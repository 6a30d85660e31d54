import { describe, expect } from 'bun:test';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, sampleCover, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

export function describeMediaRaces(open: OpenStores): void {
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    const addImage = async () => {
      const item = sampleImage((await addWorkspace(stores.one)).id);
      await stores.one.media.insert([item]);
      return item;
    };

    testRace(stores, 'delete an item once, and one of them gets the full names', async (race) => {
      const video = sampleVideo((await addWorkspace(stores.one)).id);
      const cover = sampleCover(video);
      await stores.one.media.insert([video, cover]);
      const remove = ({ media }: Stores) => media.delete(video.id);
      const answers = await race(remove, remove);
      expect(answers.filter((answer) => answer === null)).toHaveLength(1);
      expect(answers.flatMap((answer) => answer ?? []).sort()).toEqual([video.fullName, cover.fullName].sort());
    });

    testRace(stores, 'leave an item deleted while one of them changes it', async (race) => {
      const item = await addImage();
      const [removed, changed] = await race(
        ({ media }) => media.delete(item.id),
        ({ media }) => media.update(item.id, { name: 'changed' }, NOW + 1),
      );
      expect(removed).toEqual([item.fullName]);
      const after = { item: { ...item, name: 'changed', version: 2, updatedAt: NOW + 1 }, cover: null };
      expect([null, after]).toContainEqual(changed as never);
      expect(await stores.two.media.find(item.id)).toBeNull();
    });

    testRace(stores, 'both change different fields of an item', async (race) => {
      const item = await addImage();
      await race(
        ({ media }) => media.update(item.id, { name: 'changed' }, NOW + 1),
        ({ media }) => media.update(item.id, { label: 'Changed' }, NOW + 1),
      );
      const expected = { ...item, name: 'changed', label: 'Changed', version: 3, updatedAt: NOW + 1 };
      expect(await stores.two.media.find(item.id)).toEqual({ item: expected, cover: null });
    });

    testRace(stores, 'both add a tag to an item', async (race) => {
      const item = await addImage();
      await race(
        ({ media }) => media.update(item.id, { addedTags: ['one'] }, NOW + 1),
        ({ media }) => media.update(item.id, { addedTags: ['two'] }, NOW + 1),
      );
      const tags = (await stores.two.media.tagsOf([item.id])).get(item.id);
      expect(tags?.toSorted()).toEqual(['one', 'two']);
    });
  });
}
