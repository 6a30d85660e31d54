import { describe, expect, test } from 'bun:test';
import { MAX_TAGS, type MediaFilter, type MediaItem, type MediaSort, type Uuid } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { expectSlices } from '../lists.ts';
import { addPost, addProfile } from '../posts/samples.ts';
import {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFailed,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const EVERYTHING = { offset: 0, limit: 100 };

/** Checks tags, duplicates and posts of items, and lists that are filtered or sorted by these or other properties. */
export function describeMediaInclude(open: OpenStores): void {
  describe('tags', () => {
    const stores = storesOfEachTest(open);

    test('are kept in the given order until they are replaced or the item is deleted', async () => {
      const { id } = await addWorkspace(stores.one);
      const [item, other] = [sampleProcessing(id), sampleImage(id)];
      await stores.one.media.insert([item, other]);
      const tagsOf = () => stores.two.media.tagsOf([other.id, item.id, newId()]);
      expect(await tagsOf()).toEqual(new Map());
      for (const [given, kept] of [
        [
          ['summer', 'É 😀 %', 'Beach'],
          ['summer', 'É 😀 %', 'Beach'],
        ],
        [undefined, ['summer', 'É 😀 %', 'Beach']],
        [
          ['Beach', 'summer'],
          ['Beach', 'summer'],
        ],
      ]) {
        const change = given ? { tags: given } : { label: 'Label' };
        const updated = await stores.one.media.update(item.id, change, NOW + 1);
        expect(updated).toMatchObject({ item: { id: item.id, updatedAt: NOW + 1 } });
        expect(await stores.two.media.find(item.id)).toEqual(updated as Exclude<typeof updated, string>);
        expect(await tagsOf()).toEqual(new Map([[item.id, kept ?? []]]));
      }
      await stores.one.media.update(other.id, { tags: ['beach'] }, NOW);
      await stores.one.media.delete(item.id);
      expect(await tagsOf()).toEqual(new Map([[other.id, ['beach']]]));
      await stores.one.media.update(other.id, { tags: [] }, NOW);
      expect(await tagsOf()).toEqual(new Map());
      expect(await stores.one.media.tagsOf([])).toEqual(new Map());
    });

    test('are listed alphabetically, each once, in slices', async () => {
      const [{ id }, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const items = [sampleImage(id), sampleVideo(id), sampleImage(other.id)] as const;
      await stores.one.media.insert(items);
      const list = (slice: typeof EVERYTHING) => stores.two.media.listTags(id, slice);
      expect(await list(EVERYTHING)).toEqual({ items: [], total: 0 });
      for (const [at, tags] of [['sea', 'Été', 'Boat'], ['BOAT', 'harbour'], ['theirs']].entries()) {
        await stores.one.media.update(items[at]?.id ?? id, { tags }, NOW);
      }
      await expectSlices(list, ['Boat', 'harbour', 'sea', 'Été']);
      expect(await list({ offset: 9, limit: 5 })).toEqual({ items: [], total: 4 });
    });

    test('are appended and removed regardless of case, and never exceed their limit', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleImage(id);
      await stores.one.media.insert([item]);
      const many = Array.from({ length: MAX_TAGS - 2 }, (_, n) => `tag ${n}`);
      for (const [change, kept] of [
        [{ addedTags: ['Summer', 'beach'] }, ['Summer', 'beach']],
        [{ addedTags: ['SUMMER', 'É'] }, ['Summer', 'beach', 'É']],
        [{ removedTags: ['summer', 'none', 'E\u0301'] }, ['beach']],
        [{ tags: ['a'], addedTags: ['b', 'c'], removedTags: ['C'] }, ['a', 'b']],
        [{ addedTags: many }, ['a', 'b', ...many]],
        [{ addedTags: ['a', 'one more'], label: 'Label' }, null],
        [{ removedTags: ['a', 'b', ...many] }, []],
      ] as const) {
        const before = (await stores.two.media.tagsOf([item.id])).get(item.id);
        const updated = await stores.one.media.update(item.id, change, NOW + 1);
        expect(updated === 'too_many_tags').toBe(kept === null);
        expect((await stores.two.media.tagsOf([item.id])).get(item.id) ?? []).toEqual([...(kept ?? before ?? [])]);
      }
      expect((await stores.two.media.find(item.id))?.item.label).toBe(item.label);
    });

    test('throw if two differ only in case, or on a cover, and nothing is changed', async () => {
      const { id } = await addWorkspace(stores.one);
      const video = sampleVideo(id);
      const cover = sampleCover(video);
      await stores.one.media.insert([video, cover]);
      await stores.one.media.update(video.id, { tags: ['kept'] }, NOW);
      for (const [target, tags] of [
        [video, ['Strasse', 'STRASSE']],
        [video, ['É', 'E\u0301']],
        [cover, ['tag']],
      ] as const) {
        expect(await outcomeOf(stores.one.media.update(target.id, { tags, label: 'Label' }, NOW + 1))).toThrow();
      }
      expect(await stores.two.media.tagsOf([video.id, cover.id])).toEqual(new Map([[video.id, ['kept']]]));
      expect(await stores.two.media.find(video.id)).toEqual({ item: { ...video, version: 2 }, cover });
    });

    test('select items of their workspace regardless of case, and combine with other filters, as hashes do', async () => {
      const [{ id }, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const folder = await addFolder(stores.one, id);
      const hash = 'ab'.repeat(32);
      const [first, second, third] = [
        sampleImage(id, { folderId: folder.id }),
        withHash(sampleVideo(id, { updatedAt: NOW + 1 }), hash),
        withHash(sampleImage(id, { createdAt: NOW - 1 }), hash),
      ] as const;
      const theirs = withHash(sampleImage(other.id), hash);
      const cover = withHash(sampleCover(second), hash);
      await stores.one.media.insert([first, second, cover, third, theirs, sampleFailed(id)]);
      for (const [{ id: tagged, updatedAt }, tags] of [
        [first, ['Beach', 'summer']],
        [second, ['BEACH']],
        [theirs, ['beach']],
      ] as const) {
        await stores.one.media.update(tagged, { tags }, updatedAt);
      }
      const cases: readonly (readonly [MediaFilter, readonly MediaItem[]])[] = [
        [{ tags: ['beach'] }, [second, first]],
        [{ tags: [' bEACH '] }, [second, first]],
        [{ tags: ['beac'] }, []],
        [{ tags: ['summer'] }, [first]],
        [{ tags: ['SUMMER', 'beach'] }, [first]],
        [{ tags: ['beach', 'none'] }, []],
        [{ tags: ['beach'], kind: 'image', folderId: folder.id, status: 'active' }, [first]],
        [{ tags: ['beach'], folderId: null, search: 'sample', from: NOW, to: NOW }, [second]],
        [{ tags: ['beach'], sort: { by: 'updated_at', descending: false } } as MediaFilter, [first, second]],
        [{ sha256: hash }, [second, third]],
        [{ sha256: hash, from: NOW }, [second]],
        [{ sha256: hash, tags: ['beach'] }, [second]],
        [{ sha256: 'cd'.repeat(32) }, []],
      ];
      for (const [filter, items] of cases) {
        const list = await stores.two.media.list(id, filter, EVERYTHING);
        expect([filter, list.total, list.items.map(({ item }) => item.id)]).toEqual([
          filter,
          items.length,
          items.map((item) => item.id),
        ]);
      }
    });
  });

  describe('sorting', () => {
    const stores = storesOfEachTest(open);

    test('supports each order in both directions, ties by id, in slices', async () => {
      const { id } = await addWorkspace(stores.one);
      const made = [
        sampleImage(id, { name: 'b.png', createdAt: NOW + 2, updatedAt: NOW + 2 }),
        withSize(sampleImage(id, { name: 'É.png', createdAt: NOW + 1 }), 3),
        withSize(sampleVideo(id, { name: 'B.png', label: 'Label', updatedAt: NOW + 1 }), 3),
        withSize(sampleImage(id, { name: 'a.png', createdAt: NOW + 1 }), 10),
        sampleProcessing(id, { name: 'c.png', updatedAt: NOW + 1 }),
        sampleFailed(id, { name: '\u{ffee}.png' }),
        sampleFailed(id, { name: '\u{1f600}.png' }),
      ];
      await stores.one.media.insert(made.toReversed());
      // The expected orders, as positions in the list above.
      const orders: Readonly<Record<MediaSort['by'], readonly number[]>> = {
        updated_at: [1, 3, 5, 6, 2, 4, 0],
        created_at: [2, 4, 5, 6, 1, 3, 0],
        name: [3, 0, 2, 4, 1, 5, 6],
        size: [4, 5, 6, 1, 2, 3, 0],
      };
      for (const [by, places] of Object.entries(orders) as [MediaSort['by'], readonly number[]][]) {
        const items = places.flatMap((place) => made[place] ?? []).map((item) => ({ item, cover: null }));
        for (const descending of [false, true]) {
          const list = (slice: typeof EVERYTHING) => stores.two.media.list(id, { sort: { by, descending } }, slice);
          await expectSlices(list, descending ? items.toReversed() : items);
        }
      }
    });
  });

  describe('posts of items', () => {
    const stores = storesOfEachTest(open);

    test('are counted for each given item, whether few or many', async () => {
      const { id } = await addWorkspace(stores.one);
      const profile = await addProfile(stores.one, id);
      const [often, once, never] = [sampleImage(id), sampleImage(id), sampleImage(id)];
      await stores.one.media.insert([often, once, never]);
      for (const mediaIds of [[often.id, once.id], [often.id]]) await addPost(stores.one, profile, { mediaIds });
      const postsOf = async (ids: readonly Uuid[]) => {
        const posts = await stores.two.media.postsOf(id, ids);
        return ids.map((item) => posts.get(item) ?? 0);
      };
      expect(await postsOf([often.id, never.id, once.id])).toEqual([2, 0, 1]);
      expect(await postsOf([never.id])).toEqual([0]);
      expect(await postsOf([])).toEqual([]);
    });
  });
}

const withHash = (item: ReturnType<typeof sampleImage>, sha256: string) => ({
  ...item,
  content: { ...item.content, sha256 },
});

const withSize = (item: ReturnType<typeof sampleImage>, size: number) => ({
  ...item,
  content: { ...item.content, size },
});
