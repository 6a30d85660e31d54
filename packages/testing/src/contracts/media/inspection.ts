import { describe, expect, test } from 'bun:test';
import type { ActiveMedia, Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, newId, sampleCover, sampleImage, sampleProcessing, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const HASH = 'ab'.repeat(32);
const DETAILS = { image: { frames: 7, hasAlpha: true }, video: null };

/** Returns the item without the given fields. */
const lacking = (item: ActiveMedia, ...fields: readonly ('details' | 'sha256')[]): ActiveMedia => ({
  ...item,
  content: { ...item.content, ...Object.fromEntries(fields.map((field) => [field, null])) },
});

/** Checks items that earlier releases stored without details or hash. */
export function describeMediaInspection(open: OpenStores): void {
  describe('uninspected items', () => {
    const stores = storesOfEachTest(open);
    const all = async (limit = 100): Promise<readonly Uuid[]> => {
      const ids: Uuid[] = [];
      let after: Uuid | null = null;
      do {
        const page: Awaited<ReturnType<typeof stores.two.media.listUninspected>> =
          await stores.two.media.listUninspected(after, limit);
        expect(page.ids.length).toBeLessThanOrEqual(limit);
        ids.push(...page.ids);
        after = page.next;
      } while (after !== null);
      return ids;
    };

    test('are active items and covers without details or hash, in pages by id', async () => {
      const [mine, theirs] = [(await addWorkspace(stores.one)).id, (await addWorkspace(stores.one)).id];
      expect(await stores.two.media.listUninspected(null, 100)).toEqual({ ids: [], next: null });
      const video = sampleVideo(mine);
      const wanted = [
        lacking(sampleImage(theirs), 'details'),
        lacking(sampleCover(video), 'details'),
        lacking(sampleImage(mine), 'sha256'),
        lacking(sampleVideo(theirs), 'details', 'sha256'),
      ];
      await stores.one.media.insert([video, ...wanted, sampleImage(mine), sampleProcessing(mine)]);
      const inOrder = wanted.map(({ id }) => id).sort();
      for (const limit of [100, 3, 2, 1]) expect(await all(limit)).toEqual(inOrder);
    });

    test('gain only details that were unknown, and are otherwise unchanged', async () => {
      const { id } = await addWorkspace(stores.one);
      const { details } = sampleImage(id).content;
      for (const [before, found, after] of [
        [['details'], { details: DETAILS, sha256: HASH }, { details: DETAILS, sha256: 'known' }],
        [['sha256'], { details: DETAILS, sha256: HASH }, { details, sha256: HASH }],
        [['details', 'sha256'], { details: DETAILS, sha256: HASH }, { details: DETAILS, sha256: HASH }],
        [[], { details: DETAILS, sha256: HASH }, { details, sha256: 'known' }],
        [['details'], { details: DETAILS, sha256: null }, { details: DETAILS, sha256: 'known' }],
      ] as const) {
        const item = lacking(sampleImage(id), ...before);
        await stores.one.media.insert([item]);
        expect(await stores.one.media.storeInspected(item.id, found)).toBe(true);
        const sha256 = after.sha256 === 'known' ? item.content.sha256 : after.sha256;
        const kept = { ...item, version: 2, content: { ...item.content, ...after, sha256 } };
        expect(await stores.two.media.find(item.id)).toEqual({ item: kept, cover: null });
        expect(await all()).toEqual([]);
      }
    });

    test('are not listed again if no hash can be computed, until they are changed', async () => {
      const { id } = await addWorkspace(stores.one);
      const items = [lacking(sampleVideo(id), 'details', 'sha256'), lacking(sampleVideo(id), 'sha256')];
      await stores.one.media.insert(items);
      for (const item of items) {
        for (let times = 0; times < 2; times += 1) {
          expect(await stores.one.media.storeInspected(item.id, { details: DETAILS, sha256: null })).toBe(true);
        }
        const content = { ...item.content, details: item.content.details ?? DETAILS };
        const kept = { ...item, version: 3, content };
        expect(await stores.two.media.find(item.id)).toEqual({ item: kept, cover: null });
      }
      for (const limit of [100, 1]) expect(await all(limit)).toEqual([]);
      const [changed] = items as [ActiveMedia];
      await stores.one.media.update(changed.id, { label: 'Label' }, NOW + 1);
      expect(await all()).toEqual([changed.id]);
      await stores.one.media.storeInspected(changed.id, { details: DETAILS, sha256: HASH });
      expect(await all()).toEqual([]);
    });

    test('that were deleted or are not active keep nothing', async () => {
      const { id } = await addWorkspace(stores.one);
      const waiting = sampleProcessing(id);
      await stores.one.media.insert([waiting]);
      for (const one of [newId(), waiting.id]) {
        expect(await stores.one.media.storeInspected(one, { details: DETAILS, sha256: HASH })).toBe(false);
      }
      expect(await stores.two.media.find(waiting.id)).toEqual({ item: waiting, cover: null });
    });
  });
}
