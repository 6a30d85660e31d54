import { describe, expect, test } from 'bun:test';
import type { MediaFilter, Uuid } from '@postshelf/domain';
import { addImport, leaseOf } from '../job-samples.ts';
import { arrives, breaksOff } from '../pending/kinds.ts';
import { addFolder, addWorkspace, NOW, sampleCover, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const EVERYTHING = { offset: 0, limit: 1000 };
const KINDS = [undefined, 'image', 'video'] as const;
const STATUSES = [undefined, 'active', 'processing', 'failed', 'temporary'] as const;

/** Number of concurrent callers on each of the two instances, and number of steps of each caller. */
const CALLERS = 6;
const STEPS = 12;

/**
 * Checks that a list's total is the number of its items, even with concurrent changes. A store may maintain the total
 * instead of counting.
 */
export function describeMediaTotals(open: OpenStores): void {
  describe('totals', () => {
    const stores = storesOfEachTest(open);

    /** Compares every total by folder, status and kind with the items of the same list. */
    async function expectTotals({ media }: Stores, workspaceId: Uuid, folders: readonly Uuid[]): Promise<number> {
      for (const folderId of [undefined, null, ...folders])
        for (const status of STATUSES)
          for (const kind of KINDS) {
            const filter: MediaFilter = {
              ...(folderId !== undefined && { folderId }),
              ...(status && { status }),
              ...(kind && { kind }),
            };
            const { items, total } = await media.list(workspaceId, filter, EVERYTHING);
            const listed = await media.list(workspaceId, { ...filter, from: 0 }, EVERYTHING);
            expect([filter, total]).toEqual([filter, items.length]);
            expect(listed.total).toBe(items.length);
          }
      return (await media.list(workspaceId, {}, EVERYTHING)).total;
    }

    test('are correct after many callers insert, move, finish, change and delete items concurrently', async () => {
      const [{ id }, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const [first, second] = [(await addFolder(stores.one, id)).id, (await addFolder(stores.one, id)).id];
      const places = [null, first, second] as const;
      const shared = sampleImage(id);
      await stores.one.media.insert([shared]);

      const steps = async (of: Stores, caller: number): Promise<void> => {
        for (let step = 0; step < STEPS; step += 1) {
          const folderId = places[(caller + step) % 3] ?? null;
          const elsewhere = places[(caller + step + 1) % 3] ?? null;
          const owner = `caller ${caller}`;
          const video = sampleVideo(id, { folderId });
          // The items of a batch count towards different totals. Not all callers store them in the same order.
          const batch = [sampleImage(id, { folderId }), sampleImage(id, { folderId: elsewhere }), video];
          if (caller % 2 === 0) batch.reverse();
          switch (step % 6) {
            case 0:
              await of.media.insert([...batch, sampleCover(video)]);
              await of.media.delete(video.id);
              break;
            case 1:
              await of.media.insert([batch[0] ?? video]);
              await of.media.update(batch[0]?.id ?? video.id, { folderId: elsewhere }, NOW + step);
              break;
            case 2:
            case 3: {
              const item = await addImport(of, id, { folderId, start: { lease: leaseOf(owner) } });
              const decide = step % 6 === 2 ? arrives(sampleCover({ ...video, id: item.id })) : breaksOff;
              const key = { kind: 'import', subjectId: item.id } as const;
              expect(await of.processing.finish(key, owner, decide)).toBe(true);
              break;
            }
            case 4:
              await of.media.insert([sampleImage(other.id)]);
              await of.media.update(shared.id, { folderId: elsewhere, label: owner }, NOW + step);
              break;
            default:
              // The second item's folder doesn't exist, so neither item is stored, and neither must be counted.
              await of.media.insert([batch[1] ?? video, sampleImage(id, { folderId: other.id })]);
          }
        }
      };
      await Promise.all(
        Array.from({ length: CALLERS }, (_, caller) => [
          steps(stores.one, caller),
          steps(stores.two, caller + CALLERS),
        ]).flat(),
      );

      // Every six steps leave the two images of the first step, the image that is moved, and both imports.
      const kept = (2 * CALLERS * STEPS * (2 + 1 + 2)) / 6;
      expect(await expectTotals(stores.one, id, [first, second])).toBe(kept + 1);
      expect(await expectTotals(stores.two, other.id, [])).toBe((2 * CALLERS * STEPS) / 6);
    });

    test('are 0 without items, and correct after a folder is emptied and deleted', async () => {
      const { id } = await addWorkspace(stores.one);
      expect(await expectTotals(stores.one, id, [])).toBe(0);
      const folder = await addFolder(stores.one, id);
      const item = sampleImage(id, { folderId: folder.id });
      await stores.one.media.insert([item, sampleImage(id)]);
      expect(await expectTotals(stores.two, id, [folder.id])).toBe(2);
      await stores.two.media.delete(item.id);
      expect(await stores.one.folders.delete(folder.id)).toBe('deleted');
      expect(await expectTotals(stores.two, id, [folder.id])).toBe(1);
    });
  });
}
