import { describe, expect, test } from 'bun:test';
import type { ActiveMedia, Uuid } from '@postshelf/domain';
import { claim, claimAll, leaseOf } from '../job-samples.ts';
import { addWorkspace, NOW, newId, sampleCover, sampleFailed, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** A time later than the times of all samples. */
const LATER = NOW + 365 * 24 * 3_600_000;

/** The contract of {@link PreviewRepository}. */
export function describePreviewRepository(name: string, open: OpenStores): void {
  describe(`${name}: previews`, () => {
    const stores = storesOfEachTest(open);
    /** Returns the items whose previews are due to be made in advance. */
    const due = (now = LATER): Promise<readonly Uuid[]> =>
      claimAll(stores.two, 'preview', 'worker', { now, rules: { batch: 2, order: 'newest' } });
    const waiting = async () => (await stores.two.jobs.figures()).get('preview')?.waiting;

    const addImage = async (): Promise<ActiveMedia> => {
      const image = sampleImage((await addWorkspace(stores.one)).id);
      await stores.one.media.insert([image]);
      return image;
    };

    test('are due for new images and covers, and for nothing else', async () => {
      const { id } = await addWorkspace(stores.one);
      const [image, video] = [sampleImage(id), sampleVideo(id)];
      const cover = { ...sampleCover(video), updatedAt: image.updatedAt + 1 };
      await stores.one.media.insert([image, video, sampleFailed(id)], [video.id]);
      await claim(stores.one, 'cover', 'worker');
      expect(await stores.one.media.finishCover(video.id, 'worker', cover)).toBe(true);
      expect(await waiting()).toBe(2);
      expect(await due(image.updatedAt - 1)).toEqual([]);
      expect(new Set(await due())).toEqual(new Set([cover.id, image.id]));
    });

    test('are due until they are kept or their item is deleted', async () => {
      const [kept, changed, worked, removed] = [await addImage(), await addImage(), await addImage(), await addImage()];
      const { previews, media } = stores.one;
      await media.update(changed.id, { label: 'changed' }, NOW + 5);
      expect(await previews.store(kept.id, { hasFailed: false, placeholder: null })).toBe(true);
      await media.update(kept.id, { label: 'changed' }, NOW + 5);
      await media.delete(removed.id);
      expect(new Set(await due())).toEqual(new Set([changed.id, worked.id]));
      // A request has made the previews that the worker is making, so the worker loses the job.
      expect(await stores.two.previews.store(worked.id, { hasFailed: false, placeholder: null })).toBe(true);
      const held = await stores.one.jobs.renew('preview', [changed.id, worked.id], leaseOf('worker', LATER));
      expect(held).toEqual(new Set([changed.id]));
    });

    test('keep their placeholder, or that they have failed permanently', async () => {
      const [made, failed, requested] = [await addImage(), await addImage(), await addImage()];
      const { previews } = stores.one;
      expect(await previews.store(made.id, { hasFailed: false, placeholder: 'data:x' })).toBe(true);
      expect(await previews.store(failed.id, { hasFailed: true, placeholder: null })).toBe(true);
      // The item's other previews are still due after one of them was made on request.
      expect(await previews.storePlaceholder(requested.id, 'data:y')).toBe(true);
      expect(await due()).toEqual([requested.id]);
      const unknown = newId();
      expect(await stores.two.previews.factsOf([made.id, failed.id, requested.id, unknown])).toEqual(
        new Map([
          [made.id, { hasFailed: false, placeholder: 'data:x' }],
          [failed.id, { hasFailed: true, placeholder: null }],
          [requested.id, { hasFailed: false, placeholder: 'data:y' }],
        ]),
      );
      expect(await stores.two.previews.factsOf([])).toEqual(new Map());
      expect(await previews.store(unknown, { hasFailed: true, placeholder: null })).toBe(false);
      expect(await previews.storePlaceholder(unknown, 'data:z')).toBe(false);
      expect(await previews.existingItems([made.id, unknown])).toEqual(new Set([made.id]));
      expect(await previews.existingItems([])).toEqual(new Set());
    });
  });
}
