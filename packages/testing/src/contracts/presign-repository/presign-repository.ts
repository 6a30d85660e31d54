import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { arrives } from '../pending/kinds.ts';
import { addFolder, addWorkspace, newId, sampleImage, sampleProcessing } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describePresignedLeases } from './leases.ts';
import { describePresignedRaces } from './races.ts';
import { addHeldUpload, addUpload, EXPIRY, sampleUpload } from './samples.ts';

const TERMS = { sha256: 'a1'.repeat(32), onDuplicate: 'return' } as const;

/** The contract of {@link PresignRepository}. */
export function describePresignRepository(name: string, open: OpenStores): void {
  describe(`${name}: presigned uploads`, () => {
    describeAdding(open);
    describeExpiry(open);
    describePresignedLeases(open);
    describePresignedRaces(open);
  });
}

function describeAdding(open: OpenStores): void {
  describe('adding', () => {
    const stores = storesOfEachTest(open);

    test('keeps items and presigned uploads as they were given, for every instance', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const small = sampleUpload(id, { folderId: folder.id, name: 'Été 😀.png', label: 'two\nlines' });
      const uploads = [
        sampleUpload(id),
        { ...small, upload: { ...small.upload, size: 1, type: 'image/webp', expiresAt: EXPIRY + 1000, terms: TERMS } },
      ] as const;
      expect(await stores.one.presign.add(uploads)).toBe('kept');
      for (const { item, upload } of uploads) {
        for (const { media, presign } of [stores.one, stores.two]) {
          expect(await media.find(item.id)).toEqual({ item, cover: null });
          expect(await presign.find(item.id)).toEqual(upload);
        }
      }
    });

    test('keeps all or nothing of several', async () => {
      const { id } = await addWorkspace(stores.one);
      const kept = await addUpload(stores.one, id);
      const good = sampleUpload(id);
      for (const bad of [sampleUpload(id, { fullName: kept.item.fullName }), sampleUpload(newId())]) {
        expect(await outcomeOf(stores.two.presign.add([good, bad]))).toThrow();
        expect(await outcomeOf(stores.two.presign.add([bad, good]))).toThrow();
      }
      const homeless = sampleUpload(id, { folderId: newId() });
      expect(await stores.two.presign.add([good, homeless])).toBe('folder_missing');
      expect(await stores.two.presign.add([homeless, good])).toBe('folder_missing');
      expect(await stores.one.media.find(good.item.id)).toBeNull();
      expect(await stores.one.presign.find(good.item.id)).toBeNull();
      expect(await stores.one.presign.find(kept.item.id)).toEqual(kept.upload);
    });

    test('returns null for other items, and leases them to no owner', async () => {
      const { id } = await addWorkspace(stores.one);
      const others = [sampleImage(id), sampleProcessing(id)];
      await stores.one.media.insert(others);
      for (const other of [newId(), ...others.map((item) => item.id)]) {
        expect(await stores.one.presign.find(other)).toBeNull();
        expect(await stores.one.presign.claim(other, { owner: 'one', until: 2 }, 1)).toBe(false);
        expect(await stores.one.presign.finish(other, 'one', arrives())).toBe(false);
      }
    });
  });
}

function describeExpiry(open: OpenStores): void {
  describe('finding expired uploads', () => {
    const stores = storesOfEachTest(open);

    const addExpiring = async (workspaceId: Uuid, seconds: number) => {
      const upload = sampleUpload(workspaceId, { expiresAt: EXPIRY + seconds * 1000 });
      await stores.one.presign.add([upload]);
      return upload.item.id;
    };

    test('returns those of all workspaces that expired before the time, the longest expired first', async () => {
      const [mine, theirs] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const third = await addExpiring(mine.id, 3);
      const first = await addExpiring(theirs.id, 1);
      const second = await addExpiring(mine.id, 2);
      expect(await stores.two.presign.expired(EXPIRY + 3000, 10)).toEqual([first, second]);
      expect(await stores.two.presign.expired(EXPIRY + 3001, 10)).toEqual([first, second, third]);
      expect(await stores.two.presign.expired(EXPIRY + 1000, 10)).toEqual([]);
      expect(await stores.two.presign.expired(EXPIRY + 9000, 2)).toEqual([first, second]);
    });

    test('returns leased uploads, but no finished or deleted ones', async () => {
      const held = await addHeldUpload(stores.one, 'owner');
      const finished = await addHeldUpload(stores.one, 'owner');
      const removed = await addUpload(stores.one);
      await stores.one.presign.finish(finished.item.id, 'owner', arrives());
      await stores.one.media.delete(removed.item.id);
      expect(await stores.two.presign.expired(EXPIRY + 1, 10)).toEqual([held.item.id]);
    });
  });
}
