import { describe, expect, test } from 'bun:test';
import type { ActiveMedia, CoverJob, Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, newId, sampleCover, sampleImage, sampleProcessing, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const UNTIL = NOW + 60_000;

/** The contract of {@link CoverQueue}. */
export function describeCoverQueue(name: string, open: OpenStores): void {
  describe(`${name}: covers that are due`, () => {
    const stores = storesOfEachTest(open);

    const addVideos = async (count: number, workspaceId?: Uuid): Promise<readonly ActiveMedia[]> => {
      const of = workspaceId ?? (await addWorkspace(stores.one)).id;
      const videos = Array.from({ length: count }, () => sampleVideo(of));
      for (const video of videos) expect(await stores.one.media.insert([video], [video.id])).toBe('kept');
      return videos;
    };
    const addVideo = async (): Promise<ActiveMedia> => {
      const [video] = await addVideos(1);
      if (!video) throw new Error('No video was added.');
      return video;
    };
    const claim = (of: Stores, limit = 10, now = NOW): Promise<readonly CoverJob[]> =>
      of.coverQueue.claim({ now, until: now + 60_000, limit });
    const claimedIds = async (limit?: number, now?: number): Promise<readonly Uuid[]> =>
      (await claim(stores.two, limit, now)).map(({ mediaId }) => mediaId);

    test('exist for videos only', async () => {
      const { id } = await addWorkspace(stores.one);
      const video = sampleVideo(id);
      await stores.one.media.insert([video, sampleCover(video), sampleImage(id)]);
      expect(await stores.two.coverQueue.depth()).toBe(0);
      expect(await claim(stores.two)).toEqual([]);
    });

    test('are claimed once, with the claim counted, and again when the claim has expired', async () => {
      const { id, workspaceId } = await addVideo();
      expect(await stores.two.coverQueue.depth()).toBe(1);
      expect(await claim(stores.one)).toEqual([{ mediaId: id, workspaceId, claims: 1 }]);
      expect(await claim(stores.two, 10, UNTIL - 1)).toEqual([]);
      expect(await claim(stores.two, 10, UNTIL)).toEqual([{ mediaId: id, workspaceId, claims: 2 }]);
      expect(await stores.one.coverQueue.depth()).toBe(1);
    });

    test('are claimed by one of two concurrent callers', async () => {
      const videos = await addVideos(8);
      const answers = await Promise.all([stores.one, stores.two, stores.one, stores.two].map((of) => claim(of, 3)));
      const ids = answers.flat().map(({ mediaId }) => mediaId);
      expect(new Set(ids).size).toBe(ids.length);
      const rest = await claimedIds();
      expect([...ids, ...rest].sort()).toEqual(videos.map(({ id }) => id).sort());
    });

    test('come in order within a workspace, and workspaces take turns', async () => {
      const many = await addVideos(4);
      const two = await addVideos(2);
      const one = await addVideos(1);
      const order = [await claimedIds(3), await claimedIds(2), await claimedIds(2)];
      expect([...(order[0] ?? [])].sort()).toEqual([idAt(many, 0), idAt(two, 0), idAt(one, 0)].sort());
      expect([...(order[1] ?? [])].sort()).toEqual([idAt(many, 1), idAt(two, 1)].sort());
      expect(order[2]).toEqual([idAt(many, 2), idAt(many, 3)]);
    });

    test('of a workspace that joins late do not overtake the turns of others', async () => {
      const many = await addVideos(6);
      await claimAndEnd(4);
      const late = await addVideos(3);
      expect([...(await claimedIds(2))].sort()).toEqual([idAt(many, 4), idAt(late, 0)].sort());
      expect([...(await claimedIds(2))].sort()).toEqual([idAt(many, 5), idAt(late, 1)].sort());
    });

    const claimAndEnd = async (count: number): Promise<void> => {
      for (const { mediaId } of await claim(stores.one, count)) await stores.one.coverQueue.finish(mediaId, null);
    };

    test('go to the end of the queue when released, with the given claims', async () => {
      const videos = await addVideos(2);
      const [first, second] = [idAt(videos, 0), idAt(videos, 1)];
      expect(await claimedIds(1)).toEqual([first]);
      await stores.one.coverQueue.release(first, { freeAt: NOW + 5, claims: 0 });
      expect(await claimedIds()).toEqual([second]);
      expect(await claim(stores.two, 1, NOW + 5)).toMatchObject([{ mediaId: first, claims: 1 }]);
      await stores.two.coverQueue.release(newId(), { freeAt: NOW, claims: 0 });
    });

    test('end with a cover, which is stored with the video, or without one', async () => {
      const [one, other] = await addVideos(2);
      if (!one || !other) throw new Error('No videos were added.');
      const cover = sampleCover(one);
      expect(await stores.one.coverQueue.finish(one.id, cover)).toBe(true);
      expect(await stores.two.coverQueue.finish(other.id, null)).toBe(true);
      expect(await stores.two.media.find(one.id)).toEqual({ item: one, cover });
      expect(await stores.two.media.find(other.id)).toEqual({ item: other, cover: null });
      expect(await stores.two.coverQueue.depth()).toBe(0);
    });

    test('end once, and are deleted with their videos', async () => {
      const [ended, removed] = await addVideos(2);
      if (!ended || !removed) throw new Error('No videos were added.');
      await stores.one.coverQueue.finish(ended.id, null);
      expect(await stores.two.coverQueue.finish(ended.id, sampleCover(ended))).toBe(false);
      await stores.one.media.remove(removed.id);
      expect(await stores.two.coverQueue.finish(removed.id, sampleCover(removed))).toBe(false);
      expect(await stores.two.coverQueue.depth()).toBe(0);
    });

    test('are added when an import ends', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleProcessing(id);
      const lease = { owner: 'owner', until: UNTIL };
      await stores.one.imports.add(item, { url: 'https://example.com/film.mp4', attempts: 0 }, { lease });
      const { content } = sampleVideo(id);
      const become = () => ({
        item: { ...item, status: 'active', content, coverOf: null } as const,
        cover: 'due' as const,
      });
      expect(await stores.one.imports.finish(item.id, 'owner', become)).toBe(true);
      expect(await claimedIds()).toEqual([item.id]);
    });
  });
}

function idAt(videos: readonly ActiveMedia[], index: number): Uuid {
  const video = videos[index];
  if (!video) throw new Error(`There is no video ${index}.`);
  return video.id;
}
