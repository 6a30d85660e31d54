import { describe, expect, test } from 'bun:test';
import { type Uuid, versionOfMedia } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { addFolder, addWorkspace, NOW, sampleCover, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

/** The contract of covers: a cover is a separate item that is stored and deleted with its video. */
export function describeMediaCovers(open: OpenStores): void {
  describe('covers', () => {
    const stores = storesOfEachTest(open);
    const everything = { offset: 0, limit: 100 };

    const addVideo = async ({ media }: Stores) => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const video = sampleVideo(id, { folderId: folder.id });
      const cover = sampleCover(video);
      expect(await media.insert([video, cover])).toBe('kept');
      return { video, cover, folder };
    };

    test('are shown with their video', async () => {
      const { video, cover } = await addVideo(stores.one);
      expect(await stores.two.media.find(video.id)).toEqual({ item: video, cover });
      const renamed = { item: { ...video, name: 'name', version: 2, updatedAt: NOW + 1 }, cover };
      expect(await stores.two.media.update(video.id, { name: 'name' }, NOW + 1)).toEqual(renamed);
      const list = await stores.one.media.list(video.workspaceId, {}, everything);
      expect(list).toEqual({ items: [renamed], total: 1 });
    });

    test('may be inserted before their video in one call, or after it in another', async () => {
      const { id } = await addWorkspace(stores.one);
      const [early, late] = [sampleVideo(id), sampleVideo(id)];
      const [earlyCover, lateCover] = [sampleCover(early), sampleCover(late)];
      expect(await stores.one.media.insert([earlyCover, early, late])).toBe('kept');
      expect(await stores.one.media.insert([lateCover])).toBe('kept');
      expect(await stores.two.media.find(early.id)).toEqual({ item: early, cover: earlyCover });
      expect(await stores.two.media.find(late.id)).toEqual({ item: late, cover: lateCover });
    });

    test('throw without their video, and nothing is inserted', async () => {
      const { id } = await addWorkspace(stores.one);
      const [video, other] = [sampleVideo(id), sampleVideo(id)];
      expect(await outcomeOf(stores.one.media.insert([other, sampleCover(video)]))).toThrow();
      expect(await stores.two.media.find(other.id)).toBeNull();
    });

    test('are found by their id', async () => {
      const { cover } = await addVideo(stores.one);
      expect(await stores.two.media.find(cover.id)).toEqual({ item: cover, cover: null });
    });

    test('are never listed', async () => {
      const { video, cover } = await addVideo(stores.one);
      for (const filter of [{}, { kind: 'image' }, { folderId: null }, { search: 'sample' }] as const) {
        const { items, total } = await stores.two.media.list(video.workspaceId, filter, everything);
        expect(items.map(({ item }) => item.id)).not.toContain(cover.id);
        expect(total).toBe(items.length);
      }
    });

    test('are deleted with their video', async () => {
      const { video, cover, folder } = await addVideo(stores.one);
      const removed = (await stores.one.media.delete(video.id)) ?? [];
      expect([...removed].sort()).toEqual([video.fullName, cover.fullName].sort());
      expect(await stores.two.media.find(cover.id)).toBeNull();
      expect(await stores.two.media.find(video.id)).toBeNull();
      expect(await stores.two.folders.delete(folder.id)).toBe('deleted');
    });

    test('may be deleted without their video', async () => {
      const { video, cover } = await addVideo(stores.one);
      expect(await stores.one.media.delete(cover.id)).toEqual([cover.fullName]);
      expect(await stores.two.media.find(video.id)).toEqual({ item: video, cover: null });
    });

    test('may be replaced together with other changes, and the deletion of the former one is recorded', async () => {
      const { video, cover } = await addVideo(stores.one);
      const next = { ...sampleCover(video), version: 1 };
      const updated = await stores.one.media.update(video.id, { label: 'Label', cover: next }, NOW + 1);
      const item = { ...video, label: 'Label', version: 2, updatedAt: NOW + 1 };
      expect(updated).toEqual({ item, cover: next, replacedCover: cover });
      expect(await stores.two.media.find(video.id)).toEqual({ item, cover: next });
      expect(await stores.two.media.find(cover.id)).toBeNull();
      const recorded = await stores.two.deletions.list(10);
      expect(recorded).toEqual([{ id: cover.id, fullName: cover.fullName, deletedAt: NOW + 1 }]);
    });

    test('raise the common version with their video when they replace another cover', async () => {
      const { video, cover } = await addVideo(stores.one);
      for (let change = 0; change < 3; change += 1) await stores.one.media.update(cover.id, { label: null }, NOW + 1);
      const before = await stores.one.media.find(video.id);
      const after = await stores.one.media.update(video.id, { cover: sampleCover(video) }, NOW + 2);
      if (before === null || after === null || typeof after === 'string') throw new Error('There is a video.');
      expect(versionOfMedia(after)).toBeGreaterThan(versionOfMedia(before));
    });

    test('replace a cover that is still to be made', async () => {
      const { id } = await addWorkspace(stores.one);
      const video = sampleVideo(id);
      expect(await stores.one.media.insert([video], [video.id])).toBe('kept');
      const cover = sampleCover(video);
      expect(await stores.one.media.update(video.id, { cover }, NOW + 1)).toMatchObject({ cover });
      expect((await stores.two.jobs.figures()).get('cover')).toMatchObject({ waiting: 0 });
      expect(await stores.two.deletions.list(10)).toEqual([]);
    });

    test('are replaced one after the other by concurrent calls', async () => {
      const { video } = await addVideo(stores.one);
      const covers = [sampleCover(video), sampleCover(video), sampleCover(video), sampleCover(video)];
      const both = [stores.one.media, stores.two.media];
      await Promise.all(covers.map((cover, nth) => both[nth % 2]?.update(video.id, { cover }, NOW + 1)));
      const found = await stores.one.media.find(video.id);
      expect(covers.map(({ id }) => id)).toContain(found?.cover?.id as Uuid);
      expect(await stores.two.deletions.list(10)).toHaveLength(4);
    });

    test('are in no folder', async () => {
      const { cover, folder } = await addVideo(stores.one);
      expect(await stores.one.media.update(cover.id, { folderId: folder.id }, NOW + 1)).toBe('folder_missing');
      expect(await stores.two.media.find(cover.id)).toEqual({ item: cover, cover: null });
      const labelled = { ...cover, label: 'Label', version: 2, updatedAt: NOW + 1 };
      const change = { label: 'Label', folderId: null };
      expect(await stores.one.media.update(cover.id, change, NOW + 1)).toEqual({ item: labelled, cover: null });
    });
  });
}
