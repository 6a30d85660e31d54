import { describe, expect, test } from 'bun:test';
import { activate, fail, type ProcessingMedia } from '@postshelf/domain';
import { addFolder, addWorkspace, NOW, newId, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import {
  addImport,
  arrived,
  arrives,
  breaksOff,
  claim,
  coverFor,
  heldBy,
  LEASE_TIME,
  mustNotDecide,
} from './samples.ts';

/** How imports end. */
export function describeImportEnds(open: OpenStores): void {
  describe('finishing', () => {
    const stores = storesOfEachTest(open);

    /** An item in a folder whose job `worker` has claimed. */
    const addClaimed = async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const item = await addImport(stores.one, id, { folderId: folder.id, label: 'Label' });
      await claim(stores.one, 'worker');
      return item;
    };

    const expectStillHeld = async (item: ProcessingMedia) => {
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      expect(await heldBy(stores.two, 'worker', [item])).toEqual([item.id]);
      expect(await stores.two.imports.depth()).toEqual({ jobs: 1, oldest: item.createdAt });
    };

    test('makes the item active, with its cover, and the job goes', async () => {
      const item = await addClaimed();
      const cover = coverFor(item);
      expect(await stores.one.imports.finish(item.id, 'worker', arrives(cover))).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(item), cover });
      expect(await stores.two.media.existingFullNames([item.fullName, cover.fullName])).toEqual(
        new Set([cover.fullName]),
      );
      expect(await stores.two.imports.depth()).toEqual({ jobs: 0, oldest: null });
      expect(await claim(stores.two, 'other', { now: NOW + LEASE_TIME })).toEqual([]);
    });

    test('makes the item active without a cover', async () => {
      const item = await addClaimed();
      expect(await stores.one.imports.finish(item.id, 'worker', arrives())).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(item), cover: null });
    });

    test('makes the item failed', async () => {
      const item = await addClaimed();
      expect(await stores.one.imports.finish(item.id, 'worker', breaksOff)).toBe(true);
      const failed = fail(item, 'The server at media.example answered 404.', NOW + 5);
      expect(await stores.two.media.find(item.id)).toEqual({ item: failed, cover: null });
      expect(await stores.two.imports.depth()).toEqual({ jobs: 0, oldest: null });
    });

    test('lets the end be decided on the item as it is now', async () => {
      const item = await addClaimed();
      const folder = await addFolder(stores.two, item.workspaceId);
      const change = { name: 'changed', label: null, folderId: folder.id };
      await stores.two.media.update(item.id, change, NOW + 3);
      const changed: ProcessingMedia = { ...item, ...change, updatedAt: NOW + 3 };
      const seen: ProcessingMedia[] = [];
      const decide = (current: ProcessingMedia) => {
        seen.push(current);
        return arrives()(current);
      };
      expect(await stores.one.imports.finish(item.id, 'worker', decide)).toBe(true);
      expect(seen).toEqual([changed]);
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(changed), cover: null });
    });

    test('is done by the owner that claimed it again', async () => {
      const item = await addClaimed();
      await claim(stores.two, 'other', { now: NOW + LEASE_TIME });
      expect(await stores.two.imports.finish(item.id, 'other', arrives())).toBe(true);
      expect(await stores.one.media.find(item.id)).toEqual({ item: arrived(item), cover: null });
    });

    test('is done once', async () => {
      const item = await addClaimed();
      await stores.one.imports.finish(item.id, 'worker', arrives());
      expect(await stores.two.imports.finish(item.id, 'worker', mustNotDecide)).toBe(false);
      expect(await stores.two.imports.release(item.id, 'worker', { dueAt: NOW, attempts: 1 })).toBe(false);
      expect(await heldBy(stores.two, 'worker', [item])).toEqual([]);
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(item), cover: null });
    });

    test('is refused for a job that is free or unknown, and changes nothing', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = await addImport(stores.one, id);
      for (const mediaId of [item.id, newId()]) {
        expect(await stores.one.imports.finish(mediaId, 'worker', mustNotDecide)).toBe(false);
      }
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
    });

    test('changes nothing when deciding throws', async () => {
      const item = await addClaimed();
      await expect(stores.one.imports.finish(item.id, 'worker', mustNotDecide)).rejects.toThrow('was decided');
      await expectStillHeld(item);
    });

    test('changes nothing when the cover or the new full name is refused', async () => {
      const item = await addClaimed();
      const image = sampleImage(item.workspaceId);
      await stores.one.media.insert([image]);
      const twin = { ...coverFor(item), fullName: image.fullName };
      await expect(stores.one.imports.finish(item.id, 'worker', arrives(twin))).rejects.toThrow();
      await expectStillHeld(item);
      const { content } = image;
      const decide = (current: ProcessingMedia) => ({
        item: activate(current, { name: image.name, fullName: image.fullName, content }, NOW),
        cover: coverFor(item),
      });
      await expect(stores.one.imports.finish(item.id, 'worker', decide)).rejects.toThrow();
      await expectStillHeld(item);
    });

    test('leaves an item that is deleted with its cover', async () => {
      const item = await addClaimed();
      const cover = coverFor(item);
      await stores.one.imports.finish(item.id, 'worker', arrives(cover));
      const gone = await stores.two.media.remove(item.id);
      expect(new Set(gone)).toEqual(new Set([arrived(item).fullName, cover.fullName]));
    });
  });
}
