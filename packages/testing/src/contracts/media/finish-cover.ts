import { describe, expect, test } from 'bun:test';
import type { ActiveMedia } from '@postshelf/domain';
import { claim, LEASE_TIME } from '../job-samples.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, sampleCover, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** Checks how the job that makes a cover ends. */
export function describeFinishCover(open: OpenStores): void {
  describe('finishing a due cover', () => {
    const stores = storesOfEachTest(open);

    /** Adds a video whose cover `worker` is making. */
    const addVideo = async (): Promise<ActiveMedia> => {
      const video = sampleVideo((await addWorkspace(stores.one)).id);
      expect(await stores.one.media.insert([video], [video.id])).toBe('kept');
      await claim(stores.one, 'cover', 'worker');
      return video;
    };
    const jobs = async () => {
      const { waiting, running } = (await stores.two.jobs.figures()).get('cover') ?? {};
      return [waiting, running];
    };

    test('stores it with its video, or that there is none', async () => {
      const [one, other] = [await addVideo(), await addVideo()];
      const cover = sampleCover(one);
      expect(await stores.one.media.finishCover(one.id, 'worker', cover)).toBe(true);
      expect(await stores.two.media.finishCover(other.id, 'worker', null)).toBe(true);
      expect(await stores.two.media.find(one.id)).toEqual({ item: one, cover });
      expect(await stores.two.media.find(other.id)).toEqual({ item: other, cover: null });
      expect(await jobs()).toEqual([0, 0]);
    });

    test('is refused without the job, and stores nothing', async () => {
      const video = await addVideo();
      const { finishCover } = stores.one.media;
      expect(await finishCover(video.id, 'another', sampleCover(video))).toBe(false);
      await claim(stores.two, 'cover', 'next', { now: NOW + LEASE_TIME });
      expect(await finishCover(video.id, 'worker', sampleCover(video))).toBe(false);
      expect(await stores.two.media.find(video.id)).toEqual({ item: video, cover: null });
      expect(await jobs()).toEqual([0, 1]);
      expect(await finishCover(video.id, 'next', null)).toBe(true);
      expect(await finishCover(video.id, 'next', sampleCover(video))).toBe(false);
      expect(await stores.two.media.find(video.id)).toEqual({ item: video, cover: null });
    });

    test('is refused if the video was deleted, or got another cover', async () => {
      const [removed, replaced] = [await addVideo(), await addVideo()];
      await stores.two.media.delete(removed.id);
      expect(await stores.one.media.finishCover(removed.id, 'worker', sampleCover(removed))).toBe(false);
      const cover = sampleCover(replaced);
      await stores.two.media.update(replaced.id, { cover }, NOW + 1);
      expect(await stores.one.media.finishCover(replaced.id, 'worker', sampleCover(replaced))).toBe(false);
      expect((await stores.two.media.find(replaced.id))?.cover).toEqual(cover);
    });

    testRace(stores, 'while the video is deleted leaves nothing of it', async (race) => {
      const video = await addVideo();
      const cover = sampleCover(video);
      const [isStored, removed] = await race(
        ({ media }) => media.finishCover(video.id, 'worker', cover),
        ({ media }) => media.delete(video.id),
      );
      const expected = isStored ? [video.fullName, cover.fullName] : [video.fullName];
      expect(new Set(removed as string[])).toEqual(new Set(expected));
      for (const { id } of [video, cover]) expect(await stores.two.media.find(id)).toBeNull();
      expect(await jobs()).toEqual([0, 0]);
    });
  });
}
