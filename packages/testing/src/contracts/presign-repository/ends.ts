import { describe, expect, test } from 'bun:test';
import type { PresignOutcome, TemporaryMedia, Uuid } from '@postshelf/domain';
import { addFolder, NOW, newId, sampleCover, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import {
  activated,
  addHeldUpload,
  addUpload,
  becomeActive,
  becomeFailed,
  itemOf,
  type SampleUpload,
} from './samples.ts';

/** How a confirmation ends. */
export function describePresignedEnds(open: OpenStores): void {
  describe('finishing', () => {
    const stores = storesOfEachTest(open);

    const expectGone = async (id: Uuid) => {
      expect(await stores.two.presign.find(id)).toBeNull();
      expect(await stores.two.presign.claim(id, { owner: 'owner', until: NOW + 9000 }, NOW)).toBe(false);
      expect(await stores.two.presign.finish(id, 'owner', becomeFailed)).toBe(false);
    };
    const expectUnchanged = async ({ item, upload }: SampleUpload) => {
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      expect(await stores.two.presign.find(item.id)).toEqual(upload);
    };

    test('makes the item active, with its cover, and the presigned upload goes', async () => {
      const { item } = await addHeldUpload(stores.one, 'owner');
      const cover = sampleCover(activated(item));
      expect(await stores.one.presign.finish(item.id, 'owner', becomeActive(cover))).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual({ item: activated(item), cover });
      await expectGone(item.id);
      expect(await stores.two.media.find(item.id)).toEqual({ item: activated(item), cover });
    });

    test('makes the item active without a cover, and without a checksum', async () => {
      const { item } = await addHeldUpload(stores.one, 'owner');
      const active = activated(item, { sha256: null });
      expect(await stores.two.presign.finish(item.id, 'owner', () => ({ item: active, cover: null }))).toBe(true);
      expect(await stores.one.media.find(item.id)).toEqual({ item: active, cover: null });
      await expectGone(item.id);
    });

    test('makes the item failed', async () => {
      const { item } = await addHeldUpload(stores.one, 'owner');
      expect(await stores.one.presign.finish(item.id, 'owner', becomeFailed)).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual({ item: becomeFailed(item).item, cover: null });
      await expectGone(item.id);
    });

    test('decides on the item as it is now', async () => {
      const { item } = await addHeldUpload(stores.one, 'owner');
      const folder = await addFolder(stores.one, item.workspaceId);
      const change = { name: 'changed', label: 'Changed', folderId: folder.id };
      await stores.two.media.update(item.id, change, NOW + 1);
      const seen: TemporaryMedia[] = [];
      const decide = (current: TemporaryMedia): PresignOutcome => {
        seen.push(current);
        return becomeActive()(current);
      };
      expect(await stores.one.presign.finish(item.id, 'owner', decide)).toBe(true);
      const changed = { ...item, ...change, updatedAt: NOW + 1 };
      expect(seen.at(-1)).toEqual(changed);
      expect(await itemOf(stores.two, item.id)).toEqual(activated(changed));
    });

    test('is refused without the lease, and changes nothing', async () => {
      const upload = await addUpload(stores.one);
      expect(await stores.one.presign.finish(upload.item.id, 'owner', becomeActive())).toBe(false);
      await stores.one.presign.claim(upload.item.id, { owner: 'owner', until: NOW + 1000 }, NOW);
      expect(await stores.one.presign.finish(upload.item.id, 'other', becomeActive())).toBe(false);
      await expectUnchanged(upload);
    });

    test('is refused to an owner who lost the lease, and done by the next one', async () => {
      const upload = await addHeldUpload(stores.one, 'late');
      const { id } = upload.item;
      await stores.two.presign.claim(id, { owner: 'next', until: NOW + 2000 }, NOW + 1000);
      const cover = sampleCover(activated(upload.item));
      expect(await stores.one.presign.finish(id, 'late', becomeActive(cover))).toBe(false);
      await expectUnchanged(upload);
      expect(await stores.one.media.find(cover.id)).toBeNull();
      expect(await stores.two.presign.finish(id, 'next', becomeFailed)).toBe(true);
      expect(await itemOf(stores.one, id)).toEqual(becomeFailed(upload.item).item);
    });

    test('is refused when the item was deleted, and brings nothing back', async () => {
      const { item } = await addHeldUpload(stores.one, 'owner');
      const cover = sampleCover(activated(item));
      await stores.two.media.remove(item.id);
      expect(await stores.one.presign.finish(item.id, 'owner', becomeActive(cover))).toBe(false);
      expect(await stores.two.media.find(item.id)).toBeNull();
      expect(await stores.two.media.find(cover.id)).toBeNull();
    });

    test('is all or nothing: where the cover cannot be kept it throws, and can be tried again', async () => {
      const upload = await addHeldUpload(stores.one, 'owner');
      const { item } = upload;
      const taken = sampleImage(item.workspaceId);
      await stores.one.media.insert([taken]);
      const cover = sampleCover(activated(item));
      for (const bad of [
        { ...cover, id: taken.id },
        { ...cover, fullName: taken.fullName },
        { ...cover, coverOf: newId() },
      ]) {
        await expect(stores.one.presign.finish(item.id, 'owner', becomeActive(bad))).rejects.toThrow();
        await expectUnchanged(upload);
      }
      expect(await stores.two.media.find(taken.id)).toEqual({ item: taken, cover: null });
      expect(await stores.one.presign.finish(item.id, 'owner', becomeActive(cover))).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual({ item: activated(item), cover });
    });
  });
}
