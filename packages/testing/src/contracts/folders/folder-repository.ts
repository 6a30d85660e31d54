import { describe, expect, test } from 'bun:test';
import type { Slice, Uuid } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { expectSlices } from '../lists.ts';
import {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFailed,
  sampleFolder,
  sampleImage,
  sampleProcessing,
  sampleTemporary,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeFolderRaces } from './races.ts';
import { describeFolderRules } from './rules.ts';

/** The contract of {@link FolderRepository}. */
export function describeFolderRepository(name: string, open: OpenStores): void {
  describe(`${name}: folder repository`, () => {
    describeKeeping(open);
    describeListing(open);
    describeRemoving(open);
    describeFolderRules(open);
    describeFolderRaces(open);
  });
}

function describeKeeping(open: OpenStores): void {
  describe('keeping', () => {
    const stores = storesOfEachTest(open);

    test('keeps a folder as it was given, for every instance', async () => {
      const { id } = await addWorkspace(stores.one);
      const parent = sampleFolder(id, { name: ' Été 😀 "%_\\\' ', createdAt: NOW - 5, updatedAt: NOW - 4 });
      const child = sampleFolder(id, { parentId: parent.id });
      expect(await stores.one.folders.insert(parent)).toBeNull();
      expect(await stores.two.folders.insert(child)).toBeNull();
      expect(await stores.two.folders.find(parent.id)).toEqual(parent);
      expect(await stores.one.folders.find(child.id)).toEqual(child);
    });

    test('throws for a workspace that does not exist', async () => {
      expect(await outcomeOf(stores.one.folders.insert(sampleFolder(newId())))).toThrow();
    });

    test('changes the given fields and no others', async () => {
      const { id } = await addWorkspace(stores.one);
      const parent = await addFolder(stores.one, id);
      const folder = await addFolder(stores.one, id, { name: 'Before' });

      const renamed = { ...folder, name: 'After', version: 2, updatedAt: NOW + 1 };
      expect(await stores.one.folders.update(folder.id, { name: 'After' }, NOW + 1)).toEqual(renamed);
      expect(await stores.two.folders.find(folder.id)).toEqual(renamed);

      const moved = { ...renamed, parentId: parent.id, version: 3, updatedAt: NOW + 2 };
      expect(await stores.two.folders.update(folder.id, { parentId: parent.id }, NOW + 2)).toEqual(moved);
      expect(await stores.one.folders.find(folder.id)).toEqual(moved);

      const atTop = { ...moved, parentId: null, version: 4, updatedAt: NOW + 3 };
      expect(await stores.one.folders.update(folder.id, { parentId: null }, NOW + 3)).toEqual(atTop);
      expect(await stores.one.folders.update(folder.id, {}, NOW + 4)).toEqual({
        ...atTop,
        version: 5,
        updatedAt: NOW + 4,
      });
    });

    test('returns null for a change of an unknown folder', async () => {
      const { id } = await addWorkspace(stores.one);
      expect(await stores.one.folders.update(newId(), { name: 'Name' }, NOW)).toBeNull();
      const gone = await addFolder(stores.one, id);
      await stores.two.folders.delete(gone.id);
      expect(await stores.one.folders.update(gone.id, { name: 'Name' }, NOW)).toBeNull();
    });
  });
}

function describeListing(open: OpenStores): void {
  describe('listing', () => {
    const stores = storesOfEachTest(open);
    const everything = { offset: 0, limit: 100 };

    test('sorts by latest update, then by later id, in slices', async () => {
      const { id } = await addWorkspace(stores.one);
      const early = await addFolder(stores.one, id, { updatedAt: NOW - 1 });
      const [tieOne, tieTwo, tieThree] = [sampleFolder(id), sampleFolder(id), sampleFolder(id)];
      for (const folder of [tieTwo, tieThree, tieOne]) await stores.one.folders.insert(folder);
      const late = await addFolder(stores.two, id, { parentId: early.id, updatedAt: NOW + 1 });
      const list = (slice: Slice) => stores.two.folders.list(id, {}, slice);
      await expectSlices(list, [late, tieThree, tieTwo, tieOne, early]);
      const updated = { ...early, version: 2, updatedAt: NOW + 2 };
      await stores.one.folders.update(early.id, {}, NOW + 2);
      await expectSlices(list, [updated, late, tieThree, tieTwo, tieOne]);
    });

    test('returns the folders of one parent, of the top level, or all', async () => {
      const { id } = await addWorkspace(stores.one);
      const parent = await addFolder(stores.one, id);
      const child = await addFolder(stores.one, id, { parentId: parent.id });
      const grandchild = await addFolder(stores.one, id, { parentId: child.id });
      const list = async (filter: { parentId?: Uuid | null }) => stores.one.folders.list(id, filter, everything);
      expect(await list({ parentId: null })).toEqual({ items: [parent], total: 1 });
      expect(await list({ parentId: parent.id })).toEqual({ items: [child], total: 1 });
      expect(await list({ parentId: grandchild.id })).toEqual({ items: [], total: 0 });
      expect(await list({ parentId: newId() })).toEqual({ items: [], total: 0 });
      expect((await list({})).total).toBe(3);
    });

    test('returns only folders of one workspace', async () => {
      const mine = await addWorkspace(stores.one);
      const other = await addWorkspace(stores.one);
      const theirs = await addFolder(stores.one, other.id);
      expect(await stores.one.folders.list(mine.id, {}, everything)).toEqual({ items: [], total: 0 });
      const below = await stores.one.folders.list(mine.id, { parentId: theirs.id }, everything);
      expect(below).toEqual({ items: [], total: 0 });
    });

    test('counts what is directly in folders: media in any state without covers, and folders', async () => {
      const { id } = await addWorkspace(stores.one);
      const other = await addWorkspace(stores.one);
      const [full, empty] = [await addFolder(stores.one, id), await addFolder(stores.one, id)];
      const child = await addFolder(stores.one, id, { parentId: full.id });
      await addFolder(stores.one, id, { parentId: full.id });
      await addFolder(stores.one, id, { parentId: child.id });
      const video = sampleVideo(id, { folderId: full.id });
      const gone = sampleImage(id, { folderId: full.id });
      const deep = sampleImage(id, { folderId: child.id });
      const others = [sampleFailed(id, { folderId: full.id }), sampleProcessing(id, { folderId: full.id })];
      await stores.one.media.insert([video, sampleCover(video), gone, deep, ...others, sampleImage(id)]);
      await stores.two.media.delete(gone.id);
      const requested = [empty.id, full.id, child.id];
      expect(await stores.two.folders.countsOf(id, requested)).toEqual(
        new Map([
          [empty.id, { media: 0, folders: 0 }],
          [full.id, { media: 3, folders: 2 }],
          [child.id, { media: 1, folders: 1 }],
        ]),
      );
      const none = { media: 0, folders: 0 };
      expect([...(await stores.two.folders.countsOf(other.id, requested)).values()]).toEqual([none, none, none]);
      expect(await stores.one.folders.countsOf(id, [])).toEqual(new Map());
    });
  });
}

function describeRemoving(open: OpenStores): void {
  describe('deleting', () => {
    const stores = storesOfEachTest(open);

    test('deletes an empty folder once', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id, { name: 'Again' });
      expect(await stores.one.folders.delete(folder.id)).toBe('deleted');
      expect(await stores.two.folders.find(folder.id)).toBeNull();
      expect(await stores.two.folders.delete(folder.id)).toBeNull();
      expect(await stores.two.folders.insert(sampleFolder(id, { name: 'Again' }))).toBeNull();
    });

    test('is refused while a folder is in it', async () => {
      const { id } = await addWorkspace(stores.one);
      const parent = await addFolder(stores.one, id);
      const child = await addFolder(stores.one, id, { parentId: parent.id });
      expect(await stores.two.folders.delete(parent.id)).toBe('not_empty');
      expect(await stores.one.folders.find(parent.id)).toEqual(parent);
      await stores.one.folders.delete(child.id);
      expect(await stores.two.folders.delete(parent.id)).toBe('deleted');
    });

    test('is refused while media is in it, whatever its state', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      for (const make of [sampleImage, sampleProcessing, sampleFailed, sampleTemporary]) {
        const item = make(id, { folderId: folder.id });
        await stores.one.media.insert([item]);
        expect(await stores.two.folders.delete(folder.id)).toBe('not_empty');
        await stores.one.media.update(item.id, { folderId: null }, NOW);
      }
      expect(await stores.two.folders.delete(folder.id)).toBe('deleted');
    });
  });
}
