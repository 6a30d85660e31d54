import { describe, expect, test } from 'bun:test';
import { type ActiveMedia, retryPreviewsAfter, type Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, newId, sampleCover, sampleFailed, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** After the times of all samples. */
const LATER = NOW + 365 * 24 * 3_600_000;

/** The contract of {@link PreviewRepository}. */
export function describePreviewRepository(name: string, open: OpenStores): void {
  describe(`${name}: previews`, () => {
    const stores = storesOfEachTest(open);
    const due = (now = LATER): Promise<readonly Uuid[]> => stores.two.previews.due(now, 10);

    const addImage = async (): Promise<ActiveMedia> => {
      const image = sampleImage((await addWorkspace(stores.one)).id);
      await stores.one.media.insert([image]);
      return image;
    };

    test('are due of new pictures and covers, latest first, and of nothing else', async () => {
      const { id } = await addWorkspace(stores.one);
      const [image, video] = [sampleImage(id), sampleVideo(id)];
      const cover = { ...sampleCover(video), updatedAt: image.updatedAt + 1 };
      await stores.one.media.insert([image, video, sampleFailed(id)], [video.id]);
      expect(await due()).toEqual([image.id]);
      expect(await due(image.updatedAt - 1)).toEqual([]);
      expect(await stores.one.coverQueue.finish(video.id, cover)).toBe(true);
      expect(await due()).toEqual([cover.id, image.id]);
      expect(await stores.two.previews.depth()).toBe(2);
      // A change of the item makes nothing due, and nothing undone.
      await stores.one.previews.keep(image.id, { hasFailed: false, placeholder: null });
      await stores.one.media.update(image.id, { label: 'changed' }, NOW + 5);
      expect(await due()).toEqual([cover.id]);
      expect(await stores.two.previews.depth()).toBe(1);
      await stores.one.media.remove(video.id);
      expect(await due()).toEqual([]);
      expect(await stores.two.previews.depth()).toBe(0);
    });

    test('have facts from then on: made, with a placeholder, or failed for good', async () => {
      const [made, failed, requested] = [await addImage(), await addImage(), await addImage()];
      const { previews } = stores.one;
      expect(await previews.keep(made.id, { hasFailed: false, placeholder: 'data:x' })).toBe(true);
      expect(await previews.keep(failed.id, { hasFailed: true, placeholder: null })).toBe(true);
      // One preview was requested; the others are still due.
      expect(await previews.keepPlaceholder(requested.id, 'data:y')).toBe(true);
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
      expect(await previews.keep(unknown, { hasFailed: true, placeholder: null })).toBe(false);
      expect(await previews.keepPlaceholder(unknown, 'data:z')).toBe(false);
      expect(await previews.existingItems([made.id, unknown])).toEqual(new Set([made.id]));
      expect(await previews.existingItems([])).toEqual(new Set());
    });

    test('are delayed after faults, longer each time, until they are only made on request', async () => {
      const { id } = await addImage();
      let [now, faults] = [LATER, 0];
      for (;;) {
        expect(await due(now)).toEqual([id]);
        await stores.one.previews.putOff(id, now);
        faults += 1;
        const delay = retryPreviewsAfter(faults);
        if (delay === null) break;
        expect(await due(now + delay - 1)).toEqual([]);
        now += delay;
      }
      expect(faults).toBeGreaterThan(2);
      expect(await due(Number.MAX_SAFE_INTEGER)).toEqual([]);
      // Nothing is due that could be put off.
      await stores.one.previews.putOff(id, now);
      await stores.one.previews.putOff(newId(), now);
      expect(await due(Number.MAX_SAFE_INTEGER)).toEqual([]);
    });
  });
}
