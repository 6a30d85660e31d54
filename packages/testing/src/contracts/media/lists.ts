import { describe, expect, test } from 'bun:test';
import type { MediaFilter, MediaItem, Slice, Uuid } from '@postshelf/domain';
import { expectSlices } from '../lists.ts';
import {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFailed,
  sampleImage,
  sampleProcessing,
  sampleTemporary,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** Searches: the text to find, an item's name and label, and whether the item is found. */
const SEARCHES: readonly (readonly [string, string, string | null, boolean])[] = [
  ['beach', 'A BEACH.jpg', null, true],
  ['BEACH', 'name.jpg', 'on the beach', true],
  ['beach', 'name.jpg', 'on the bench', false],
  ['\u00e9t\u00e9', 'E\u0301TE\u0301.jpg', null, true],
  ['ete', '\u00e9t\u00e9.jpg', null, true],
  ['\u00e9t\u00e9', 'ete.jpg', null, true],
  ['FENETRE', 'name.jpg', 'La fen\u00eatre', true],
  ['full', '\uff26\uff35\uff2c\uff2c.jpg', null, true],
  ['\uff26\uff35\uff2c\uff2c', 'full.jpg', null, true],
  ['\u03b1\u03b8\u03b7\u03bd\u03b1', '\u0391\u03b8\u03ae\u03bd\u03b1.jpg', null, true],
  ['\u0435\u043b\u043a\u0430', '\u0401\u043b\u043a\u0430.jpg', null, true],
  ['\u304b', '\u304c.jpg', null, false],
  ['\u304c', '\uff76\uff9e.jpg', null, false],
  ['\u30ac', '\uff76\uff9e.jpg', null, true],
  ['\u0939\u093f', '\u0939.jpg', null, false],
  ['%', '100 percent.jpg', null, false],
  ['%', '100%.jpg', null, true],
  ['a_c', 'abc.jpg', null, false],
  ['a_c', 'A_C.jpg', null, true],
  ['\\', 'a\\b.jpg', null, true],
  ['\\%', '100%.jpg', null, false],
  ['*', 'abc.jpg', null, false],
  ["' or 1=1 --", 'abc.jpg', null, false],
  ["o'clock", 'name.jpg', "Five O'Clock", true],
  ['a\u0000c', 'abc.jpg', null, false],
  ['abc\u0000', 'abc.jpg', null, false],
  ['jpglabel', 'name.jpg', 'label', false],
  ['jpg\nlabel', 'name.jpg', 'label', true],
  ['', 'abc.jpg', null, true],
  [' \t', 'abc.jpg', null, true],
  ['jpg LABEL', 'name.jpg', 'label', true],
  ['jpg other', 'name.jpg', 'label', false],
  [Array(60).fill('na').join(' '), 'name.jpg', null, true],
  ['x'.repeat(100_000), 'x.jpg', null, false],
];

/** Checks lists with their order, filters and slices. */
export function describeMediaLists(open: OpenStores): void {
  const everything = { offset: 0, limit: 100 };
  const uncovered = (items: readonly MediaItem[]) => items.map((item) => ({ item, cover: null }));

  describe('listing', () => {
    const stores = storesOfEachTest(open);

    test('sorts by latest update, then by later id, in slices', async () => {
      const { id } = await addWorkspace(stores.one);
      const [early, tieOne, tieTwo, tieThree, late] = [
        sampleImage(id, { updatedAt: NOW - 1 }),
        sampleProcessing(id),
        sampleVideo(id),
        sampleImage(id),
        sampleFailed(id, { updatedAt: NOW + 1, createdAt: NOW - 1 }),
      ] as const;
      await stores.one.media.insert([tieTwo, late, tieOne, early, tieThree]);
      const list = (slice: Slice) => stores.two.media.list(id, {}, slice);
      await expectSlices(list, uncovered([late, tieThree, tieTwo, tieOne, early]));
      const updated = { ...early, version: 2, updatedAt: NOW + 2 };
      await stores.one.media.update(early.id, {}, NOW + 2);
      await expectSlices(list, uncovered([updated, late, tieThree, tieTwo, tieOne]));
    });

    test('returns each video with its own cover', async () => {
      const { id } = await addWorkspace(stores.one);
      const videos = Array.from({ length: 3 }, () => sampleVideo(id));
      const covers = videos.map(sampleCover);
      await stores.one.media.insert([...covers, ...videos]);
      const expected = videos.map((item, index) => ({ item, cover: covers[index] ?? null })).toReversed();
      expect(await stores.two.media.list(id, {}, everything)).toEqual({ items: expected, total: 3 });
    });

    test('returns only items of the workspace', async () => {
      const [mine, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      await stores.one.media.insert([sampleImage(other.id)]);
      expect(await stores.two.media.list(mine.id, {}, everything)).toEqual({ items: [], total: 0 });
      expect(await stores.two.media.list(newId(), {}, everything)).toEqual({ items: [], total: 0 });
    });
  });

  describe('filtering', () => {
    const stores = storesOfEachTest(open);

    const expectList = async (workspaceId: Uuid, filter: MediaFilter, items: readonly MediaItem[]) =>
      expect(await stores.two.media.list(workspaceId, filter, everything)).toEqual({
        items: uncovered(items),
        total: items.length,
      });

    test('selects by folder', async () => {
      const { id } = await addWorkspace(stores.one);
      const [outer, empty] = [await addFolder(stores.one, id), await addFolder(stores.one, id)];
      const inner = await addFolder(stores.one, id, { parentId: outer.id });
      const [atRoot, inOuter, inInner] = [null, outer.id, inner.id].map((folderId) => sampleImage(id, { folderId }));
      const items = [atRoot, inOuter, inInner].filter((item) => item !== undefined);
      await stores.one.media.insert(items);
      await expectList(id, { folderId: null }, items.slice(0, 1));
      await expectList(id, { folderId: outer.id }, items.slice(1, 2));
      await expectList(id, { folderId: inner.id }, items.slice(2));
      await expectList(id, { folderId: empty.id }, []);
      await expectList(id, { folderId: newId() }, []);
    });

    test('selects by status and by kind', async () => {
      const { id } = await addWorkspace(stores.one);
      const [image, video] = [sampleImage(id), sampleVideo(id)];
      const [processing, temporary, failed] = [sampleProcessing(id), sampleTemporary(id), sampleFailed(id)];
      await stores.one.media.insert([image, video, processing, temporary, failed]);
      await expectList(id, { status: 'active' }, [video, image]);
      for (const item of [processing, temporary, failed]) await expectList(id, { status: item.status }, [item]);
      await expectList(id, { kind: 'image' }, [image]);
      await expectList(id, { kind: 'video' }, [video]);
      await expectList(id, { kind: 'video', status: 'processing' }, []);
    });

    test('selects by the time of creation, both ends included', async () => {
      const { id } = await addWorkspace(stores.one);
      const [first, second, third] = [
        sampleImage(id, { createdAt: NOW - 1 }),
        sampleImage(id, { createdAt: NOW }),
        sampleImage(id, { createdAt: NOW + 1 }),
      ] as const;
      await stores.one.media.insert([first, second, third]);
      await stores.one.media.update(first.id, {}, NOW);
      const touched = { ...first, version: 2, updatedAt: NOW };
      await expectList(id, { from: NOW }, [third, second]);
      await expectList(id, { to: NOW }, [second, touched]);
      await expectList(id, { from: NOW, to: NOW }, [second]);
      await expectList(id, { from: NOW + 1, to: NOW }, []);
    });

    test('selects by a search whose characters have no special meaning', async () => {
      for (const [search, name, label, found] of SEARCHES) {
        const { id } = await addWorkspace(stores.one);
        const item = sampleImage(id, { name, label });
        await stores.one.media.insert([item]);
        const { items } = await stores.two.media.list(id, { search }, everything);
        expect([search.slice(0, 30), name, label, items.length]).toEqual([
          search.slice(0, 30),
          name,
          label,
          found ? 1 : 0,
        ]);
      }
    });

    test('selects by a search in the current name and label', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleImage(id, { name: 'before.jpg', label: 'old' });
      await stores.one.media.insert([item]);
      const renamed = { ...item, name: 'AFTER.jpg', version: 2, updatedAt: NOW + 1 };
      await stores.one.media.update(item.id, { name: renamed.name }, NOW + 1);
      await expectList(id, { search: 'before' }, []);
      await expectList(id, { search: 'after' }, [renamed]);
      await expectList(id, { search: 'OLD' }, [renamed]);
      await stores.one.media.update(item.id, { label: null }, NOW + 1);
      await expectList(id, { search: 'old' }, []);
    });

    test('selects by a search in the current tags and alt text', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleProcessing(id, { name: 'One.jpg', label: 'Two' });
      await stores.one.media.insert([item]);
      const finds = async (searches: Readonly<Record<string, boolean>>) => {
        const found = Object.keys(searches).map(
          async (search) => [search, (await stores.two.media.list(id, { search }, everything)).total === 1] as const,
        );
        expect(Object.fromEntries(await Promise.all(found))).toEqual(searches);
      };
      await stores.one.media.update(item.id, { altText: 'Boats at the TERRACE', tags: ['Été', 'Blue sea'] }, NOW);
      await finds({
        'terrace one': true,
        'TWO e\u0301t\u00e9 sea boats': true,
        ETE: true,
        'terrace red': false,
        seaboats: false,
      });
      await stores.one.media.update(item.id, { name: 'Three.jpg', addedTags: ['red'] }, NOW);
      await finds({ 'three été red': true, one: false });
      await stores.one.media.update(item.id, { removedTags: ['été'], altText: null }, NOW);
      await finds({ 'three red sea': true, été: false, terrace: false });
      await stores.one.media.update(item.id, { tags: [] }, NOW);
      await finds({ 'three two': true, red: false });
    });

    test('selects by several filters together', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const match = sampleVideo(id, { folderId: folder.id, name: 'match.mov' });
      await stores.one.media.insert([
        match,
        sampleVideo(id, { name: 'match.mov' }),
        sampleImage(id, { folderId: folder.id, name: 'match.png' }),
        sampleVideo(id, { folderId: folder.id, name: 'other.mov' }),
        sampleVideo(id, { folderId: folder.id, name: 'match.mov', createdAt: NOW - 1 }),
        sampleFailed(id, { folderId: folder.id, name: 'match.mov' }),
      ]);
      const filter = {
        folderId: folder.id,
        status: 'active',
        kind: 'video',
        search: 'Match',
        from: NOW,
        to: NOW,
      } as const;
      await expectList(id, filter, [match]);
    });
  });
}
