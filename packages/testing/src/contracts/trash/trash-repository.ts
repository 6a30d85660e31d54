import { describe, expect, test } from 'bun:test';
import { thrownBy } from '../../outcomes.ts';
import { claimAll } from '../job-samples.ts';
import { addPost, addProfile } from '../posts/samples.ts';
import {
  addFolder,
  addWorkspace,
  eventsDuring,
  NOW,
  newId,
  sampleCover,
  sampleFailed,
  sampleImage,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const PAGE = { offset: 0, limit: 100 };

/** The contract of {@link TrashRepository}. */
export function describeTrashRepository(name: string, open: OpenStores): void {
  describe(`${name}: trash`, () => {
    const stores = storesOfEachTest(open);

    const listed = async (workspaceId: ReturnType<typeof newId>, search?: string) => {
      const { items, total } = await stores.two.trashed.list(workspaceId, search, PAGE);
      expect(items).toHaveLength(total);
      return items.map(({ item }) => item.id);
    };

    /** Adds a folder that contains a video with tags and a cover. */
    const addVideo = async ({ media }: Stores) => {
      const { id: workspaceId } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, workspaceId);
      const video = sampleVideo(workspaceId, {
        folderId: folder.id,
        altText: 'A quay',
        label: 'Label',
        focus: { x: 0.1, y: 0.9 },
      });
      const cover = sampleCover(video);
      await media.insert([video, cover]);
      await media.update(video.id, { tags: ['Sea', 'boat'] }, NOW + 1);
      const before = await media.find(video.id);
      if (before?.item.status !== 'active') throw new Error('The video is gone');
      return { workspaceId, folder, before: { ...before, item: before.item }, id: video.id };
    };

    test('restores everything that an item had', async () => {
      const { workspaceId, before, id } = await addVideo(stores.one);
      const { item, cover } = before;
      expect(await stores.one.trashed.add(id, NOW + 2)).toEqual([item.fullName, cover?.fullName ?? '']);
      expect(await stores.two.media.find(id)).toBeNull();
      expect(await stores.two.media.find(cover?.id ?? id)).toBeNull();
      expect(await stores.two.media.list(workspaceId, {}, PAGE)).toEqual({ items: [], total: 0 });
      expect(await stores.two.trashed.find(id)).toEqual({ ...before, trashedAt: NOW + 2 });
      expect(await stores.two.trashed.find(cover?.id ?? id)).toBeNull();
      const restored = { item: { ...item, version: item.version + 1, updatedAt: NOW + 3 }, cover };
      expect(await stores.two.trashed.restore(id, NOW + 3)).toEqual(restored);
      expect(await stores.one.media.find(id)).toEqual(restored);
      expect([...(await stores.one.media.tagsOf([id])).values()]).toEqual([['Sea', 'boat']]);
      expect(await stores.one.media.list(workspaceId, { search: 'boat quay' }, PAGE)).toMatchObject({ total: 1 });
      expect(await stores.one.trashed.find(id)).toBeNull();
      expect(await stores.one.trashed.restore(id, NOW + 4)).toBeNull();
    });

    test('restores an item to the root if its folder was deleted', async () => {
      const { folder, id } = await addVideo(stores.one);
      await stores.one.trashed.add(id, NOW);
      expect(await stores.one.folders.delete(folder.id)).toBe('deleted');
      expect((await stores.one.trashed.restore(id, NOW))?.item.folderId).toBeNull();
    });

    test('makes missing covers and previews due again', async () => {
      const { id: workspaceId } = await addWorkspace(stores.one);
      const [video, image] = [sampleVideo(workspaceId), sampleImage(workspaceId)];
      await stores.one.media.insert([video, image]);
      for (const { id } of [video, image]) {
        await stores.one.trashed.add(id, NOW);
        await stores.one.trashed.restore(id, NOW);
      }
      expect(await claimAll(stores.one, 'cover', 'worker')).toEqual([video.id]);
      expect((await stores.one.previews.factsOf([image.id])).size).toBe(1);
    });

    test('refuses an item that a post uses, or that is inactive, a cover, changed or unknown', async () => {
      const { workspaceId, before, id } = await addVideo(stores.one);
      const failed = sampleFailed(workspaceId);
      await stores.one.media.insert([failed]);
      const { trashed } = stores.one;
      expect(await trashed.add(failed.id, NOW)).toBe('not_active');
      expect(await trashed.add(before.cover?.id ?? id, NOW)).toBe('not_active');
      expect(await trashed.add(newId(), NOW)).toBeNull();
      expect(await thrownBy(trashed.add(id, NOW, [99]))).toMatchObject({ problem: { code: 'changed' } });
      await addPost(stores.one, await addProfile(stores.one, workspaceId), { mediaIds: [id] });
      expect(await trashed.add(id, NOW)).toBe('in_use');
      expect(await stores.two.media.find(id)).toEqual(before);
      expect(await listed(workspaceId)).toEqual([]);
    });

    test('lists the items of one workspace, latest first, and searches by words', async () => {
      const { workspaceId, id } = await addVideo(stores.one);
      const other = sampleImage(workspaceId);
      const foreign = sampleImage((await addWorkspace(stores.one)).id);
      await stores.one.media.insert([other, foreign]);
      await stores.one.trashed.add(other.id, NOW + 1);
      await stores.one.trashed.add(id, NOW + 2);
      await stores.one.trashed.add(foreign.id, NOW + 3);
      expect(await listed(workspaceId)).toEqual([id, other.id]);
      expect(await listed(workspaceId, 'SEA quay')).toEqual([id]);
      expect(await listed(workspaceId, 'sea nothing')).toEqual([]);
      const { items, total } = await stores.two.trashed.list(workspaceId, undefined, { offset: 1, limit: 1 });
      expect([items[0]?.item.id, total]).toEqual([other.id, 2]);
    });

    test('counts the objects of its items as needed', async () => {
      const { before, id } = await addVideo(stores.one);
      const { item, cover } = before;
      const names = [item.fullName, cover?.fullName ?? ''];
      expect((await stores.one.trashed.among(names)).live).toEqual(new Set(names));
      await stores.one.trashed.add(id, NOW);
      expect(await stores.two.media.existingFullNames(names)).toEqual(new Set(names));
      expect((await stores.two.trashed.among(names)).trashed).toEqual(new Set(names));
      const walked = await stores.two.media.listActive(null, 100);
      expect(walked.map((active) => active.id)).toEqual([id, cover?.id ?? id].sort());
      expect(await stores.two.media.findStored(id)).toEqual(item);
      expect(await stores.two.media.findStored(cover?.id ?? id)).toEqual(cover);
      expect(await stores.two.media.findStored(newId())).toBeNull();
    });

    test('records the deletions of purged items', async () => {
      const { before, id } = await addVideo(stores.one);
      expect(await stores.one.trashed.purge(id, NOW)).toBe(false);
      await stores.one.trashed.add(id, NOW);
      expect(await stores.one.trashed.purge(id, NOW + 5)).toBe(true);
      expect(await stores.two.trashed.purge(id, NOW + 5)).toBe(false);
      expect(await stores.two.trashed.restore(id, NOW + 5)).toBeNull();
      const gone = (await stores.two.deletions.list(10)).map(({ fullName, deletedAt }) => [fullName, deletedAt]);
      expect(gone.sort()).toEqual([before.item, before.cover].map((each) => [each?.fullName ?? '', NOW + 5]).sort());
    });

    test('hides emptied items, purges them in steps, and keeps later ones', async () => {
      const { workspaceId, id } = await addVideo(stores.one);
      const [older, later] = [sampleImage(workspaceId), sampleImage(workspaceId)];
      await stores.one.media.insert([older, later]);
      await stores.one.trashed.add(older.id, NOW);
      await stores.one.trashed.add(id, NOW + 9);
      await stores.one.trashed.empty(workspaceId, NOW + 9);
      // Another process's clock is behind.
      await stores.two.trashed.add(later.id, NOW + 4);
      expect(await listed(workspaceId)).toEqual([later.id]);
      expect(await stores.one.trashed.find(id)).toBeNull();
      expect(await stores.one.trashed.restore(id, NOW)).toBeNull();
      const steps: number[] = [];
      do steps.push(await stores.one.trashed.purgeDue(0, NOW, 1));
      while (steps.at(-1) !== 0);
      // The steps remove an image, a video with its cover, and the mark that the trash was emptied.
      expect(steps).toEqual([1, 2, 1, 0]);
      expect(await listed(workspaceId)).toEqual([later.id]);
      expect(await stores.one.deletions.list(10)).toHaveLength(3);
    });

    test('hides everything in it when it is emptied, even if clocks differ', async () => {
      const [{ workspaceId, id }, others] = [await addVideo(stores.one), await addVideo(stores.one)];
      await stores.one.trashed.add(id, NOW + 9);
      await stores.one.trashed.add(others.id, NOW);
      await stores.one.trashed.empty(others.workspaceId, NOW);
      await stores.two.trashed.empty(workspaceId, NOW + 5);
      expect(await listed(workspaceId)).toEqual([]);
      await stores.two.trashed.empty(workspaceId, NOW);
      expect(await listed(workspaceId)).toEqual([]);
      // Only the workspace's own items are removed.
      expect(await stores.one.trashed.purgeEmptied(workspaceId, NOW, 10)).toBe(2);
      expect(await stores.one.trashed.purgeEmptied(workspaceId, NOW, 10)).toBe(0);
      expect(await stores.one.deletions.list(10)).toHaveLength(2);
    });

    test('purges items that were trashed before a time', async () => {
      const { workspaceId, id } = await addVideo(stores.one);
      const other = sampleImage(workspaceId);
      await stores.one.media.insert([other]);
      await stores.one.trashed.add(other.id, NOW);
      await stores.one.trashed.add(id, NOW + 1);
      expect(await stores.two.trashed.purgeDue(NOW, NOW, 10)).toBe(0);
      expect(await stores.two.trashed.purgeDue(NOW + 1, NOW, 10)).toBe(1);
      expect(await listed(workspaceId)).toEqual([id]);
    });

    test('counts against the quota, which never prevents restoring', async () => {
      const { workspaceId, before, id } = await addVideo(stores.one);
      const usage = () => stores.two.workspaces.usage(workspaceId);
      const { size } = before.item.content;
      await stores.one.workspaces.update(workspaceId, { maxItems: 1 });
      await stores.one.trashed.add(id, NOW);
      expect(await usage()).toMatchObject({ bytes: 0, items: 0, videos: 0, trashBytes: size, trashItems: 1 });
      const full = {
        problem: { errors: { file: ["The workspace's storage is full. Empty the trash to make room."] } },
      };
      expect(await thrownBy(stores.one.media.insert([sampleImage(workspaceId)]))).toMatchObject(full);
      await stores.one.workspaces.update(workspaceId, { maxItems: 0 });
      const plain = { problem: { errors: { file: ["The workspace's storage is full."] } } };
      expect(await thrownBy(stores.one.media.insert([sampleImage(workspaceId)]))).toMatchObject(plain);
      expect(await stores.one.trashed.restore(id, NOW)).toMatchObject({ item: { id } });
      expect(await usage()).toMatchObject({ bytes: size, items: 1, videos: 1, trashBytes: 0, trashItems: 0 });
    });

    test('emits events for deleting and restoring items', async () => {
      const { workspaceId, id } = await addVideo(stores.one);
      await stores.one.events.listen([workspaceId], Number.MAX_SAFE_INTEGER);
      const types = async (work: () => Promise<unknown>) =>
        (await eventsDuring(stores.two, work)).map(({ type }) => type);
      expect(await types(() => stores.one.trashed.add(id, NOW))).toEqual(['media.deleted']);
      expect(await types(() => stores.one.trashed.restore(id, NOW))).toEqual(['media.active']);
      await stores.one.trashed.add(id, NOW);
      expect(await types(() => stores.one.trashed.purge(id, NOW))).toEqual([]);
    });

    test('lets one of two concurrent restores, or of a restore and a purge, succeed', async () => {
      const { trashed } = stores.one;
      for (const other of ['restore', 'purge'] as const) {
        const { id } = await addVideo(stores.one);
        await trashed.add(id, NOW);
        const done = await Promise.all([trashed.restore(id, NOW), stores.two.trashed[other](id, NOW)]);
        expect(done.filter(Boolean)).toHaveLength(1);
      }
    });

    test('is removed with its workspace', async () => {
      const { workspaceId, before, id } = await addVideo(stores.one);
      await stores.one.trashed.add(id, NOW);
      await stores.one.trashed.empty(workspaceId, NOW - 1);
      await stores.one.workspaces.beginRemoval(workspaceId, NOW);
      const gone: string[] = [];
      let step = await stores.one.workspaces.removeBatch(workspaceId, 50, NOW);
      while (step !== null) {
        gone.push(...step.fullNames);
        step = await stores.one.workspaces.removeBatch(workspaceId, 50, NOW);
      }
      expect(gone.sort()).toEqual([before.item.fullName, before.cover?.fullName ?? ''].sort());
      expect(await stores.two.workspaces.usage(workspaceId)).toBeNull();
    });
  });
}
