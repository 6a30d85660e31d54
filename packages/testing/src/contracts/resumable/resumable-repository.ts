import { describe, expect, test } from 'bun:test';
import { FARTHEST_END, NO_TERMS, type Piece, type TemporaryMedia } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { arrives } from '../pending/kinds.ts';
import { addWorkspace, NOW, newId, sampleTemporary } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const TERMS = { sha256: 'a1'.repeat(32), onDuplicate: 'return' } as const;
const SECOND = 1000;

const piece = (start: number, size: number): Piece => ({ name: `piece ${start}`, start, size });

/** Adds an upload of 100 bytes, and claims its lease for the owner `owner`. */
async function addHeld(stores: Stores): Promise<TemporaryMedia> {
  const { resumable, presign } = stores;
  const item = sampleTemporary((await addWorkspace(stores)).id);
  expect(await resumable.add(item, { size: 100, metadata: 'filename YQ==', terms: TERMS }, NOW)).toBe('kept');
  expect(await presign.claim(item.id, { owner: 'owner', until: NOW + SECOND }, NOW)).toBe(true);
  return item;
}

/** The contract of {@link ResumableRepository}. */
export function describeResumableRepository(name: string, open: OpenStores): void {
  describe(`${name}: resumable uploads`, () => {
    const stores = storesOfEachTest(open);

    test('are also presigned uploads until they are finished', async () => {
      const { one, two } = stores;
      const { id, workspaceId } = await addHeld(one);
      expect(await two.resumable.find(id)).toEqual({
        id,
        workspaceId,
        size: 100,
        received: 0,
        metadata: 'filename YQ==',
        lastByteAt: NOW,
      });
      const expiresAt = Math.floor(NOW / SECOND) * SECOND;
      expect(await two.presign.find(id)).toEqual({ kind: 'resumable', id, size: 100, expiresAt, terms: TERMS });
      expect(await two.resumable.pieces(id)).toEqual([]);
      expect(await two.presign.finish(id, 'owner', arrives())).toBe(true);
      expect(await two.presign.find(id)).toBeNull();
      expect((await two.resumable.find(id))?.size).toBe(100);
      expect(await two.resumable.find(newId())).toBeNull();
    });

    test('require an existing folder', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleTemporary(id, { folderId: newId() });
      expect(await stores.one.resumable.add(item, { size: 1, metadata: '', terms: NO_TERMS }, NOW)).toBe(
        'folder_missing',
      );
      expect(await stores.one.media.find(item.id)).toBeNull();
      expect(await stores.one.resumable.find(item.id)).toBeNull();
    });

    test('accept pieces only from the holder of the lease', async () => {
      const { one, two } = stores;
      const { id } = await addHeld(one);
      expect(await one.resumable.advance(id, 'owner', 0, [piece(0, 10)], NOW + SECOND)).toBe(true);
      const other = { ...piece(0, 15), name: 'other' };
      expect(await one.resumable.advance(id, 'owner', 10, [other], NOW + SECOND)).toBe(true);
      expect(await two.resumable.pieces(id)).toEqual([other]);
      expect(await one.resumable.advance(id, 'owner', 15, [piece(0, 20)], NOW + SECOND)).toBe(true);
      expect(await two.resumable.advance(id, 'other', 20, [piece(20, 5)], NOW)).toBe(false);
      expect(await two.resumable.renew(id, 'other', NOW + 9 * SECOND)).toBe(false);
      expect(await one.resumable.renew(id, 'owner', NOW + 3 * SECOND)).toBe(true);
      expect(await two.presign.claim(id, { owner: 'other', until: NOW + 9 * SECOND }, NOW + 2 * SECOND)).toBe(false);
      expect(await two.presign.claim(id, { owner: 'other', until: NOW + 9 * SECOND }, NOW + 3 * SECOND)).toBe(true);
      expect(await one.resumable.advance(id, 'owner', 20, [piece(20, 5)], NOW)).toBe(false);
      expect(await one.resumable.renew(id, 'owner', NOW + 9 * SECOND)).toBe(false);
      expect(await one.resumable.endSilent(id, NOW + 9 * SECOND - 1)).toBe(false);
      expect(await one.resumable.endSilent(id, NOW + 9 * SECOND)).toBe(true);
      expect(await one.resumable.endSilent(id, NOW)).toBe(true);
      expect(await one.resumable.renew(id, 'owner', NOW + 9 * SECOND)).toBe(false);
      expect(await two.resumable.find(id)).toMatchObject({ received: 20, lastByteAt: NOW + SECOND });
      expect(await two.resumable.pieces(id)).toEqual([piece(0, 20)]);
      expect((await two.presign.find(id))?.expiresAt).toBe(Math.floor((NOW + SECOND) / SECOND) * SECOND);
    });

    test('are free for the next writer once the clock was set back, but not if clocks only differ', async () => {
      const { one, two } = stores;
      const { id } = await addHeld(one);
      const back = NOW + SECOND - FARTHEST_END;
      expect(await two.resumable.endSilent(id, back)).toBe(false);
      expect(await one.resumable.renew(id, 'owner', NOW + SECOND)).toBe(true);
      expect(await two.resumable.endSilent(id, back - 1)).toBe(true);
      expect(await one.resumable.renew(id, 'owner', NOW + SECOND)).toBe(false);
    });

    test('continue at their offset, and end at their declared length', async () => {
      const { one } = stores;
      const { id } = await addHeld(one);
      await one.resumable.advance(id, 'owner', 0, [piece(0, 60), piece(60, 30)], NOW);
      expect(await outcomeOf(one.resumable.advance(id, 'owner', 60, [piece(60, 40)], NOW))).toThrow();
      expect(await outcomeOf(one.resumable.advance(id, 'owner', 90, [piece(90, 11)], NOW))).toThrow();
      expect(await one.resumable.pieces(id)).toEqual([piece(0, 60), piece(60, 30)]);
      expect(await one.resumable.lastPiece(id)).toEqual(piece(60, 30));
      expect(await one.resumable.lastPiece(newId())).toBeNull();
      expect((await one.resumable.find(id))?.received).toBe(90);
    });

    test('that are complete are listed in pages', async () => {
      const { one, two } = stores;
      const [first, second, third] = [(await addHeld(one)).id, (await addHeld(one)).id, (await addHeld(one)).id];
      for (const id of [third, first, second]) await one.resumable.advance(id, 'owner', 0, [piece(0, 100)], NOW);
      expect(await two.resumable.complete(NOW + 1, null, 2)).toEqual([first, second]);
      expect(await two.resumable.complete(NOW + 1, second, 2)).toEqual([third]);
    });

    test('are listed if they are complete but unfinished, and pruned if they are old', async () => {
      const { one, two } = stores;
      const [whole, part, done] = [await addHeld(one), await addHeld(one), await addHeld(one)];
      for (const { id } of [whole, done]) await one.resumable.advance(id, 'owner', 0, [piece(0, 100)], NOW);
      await one.resumable.advance(part.id, 'owner', 0, [piece(0, 99)], NOW);
      await one.presign.finish(done.id, 'owner', arrives());
      expect(await two.resumable.pieces(done.id)).toEqual([]);
      expect(await two.resumable.complete(NOW, null, 10)).toEqual([]);
      expect(await two.resumable.complete(NOW + 1, null, 10)).toEqual([whole.id]);
      expect(await two.resumable.prune(NOW, 10)).toBe(0);
      await two.resumable.remove(part.id);
      expect(await two.resumable.prune(NOW + 1, 1)).toBe(1);
      expect(await two.resumable.prune(NOW + 1, 10)).toBe(1);
      for (const { id } of [whole, part, done]) expect(await one.resumable.find(id)).toBeNull();
      expect((await one.media.find(done.id))?.item.status).toBe('active');
    });
  });
}
