import { describe, expect, test } from 'bun:test';
import { type FitJob, fail, MAX_FITS_WAITING, type ProcessingMedia, type Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, newId, sampleFit, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const UNTIL = NOW + 60_000;
const ORDER = { target: 'x.post', how: 'crop' } as const;

/** The contract of {@link FitQueue}. */
export function describeFitQueue(name: string, open: OpenStores): void {
  describe(`${name}: files that are to be made to fit`, () => {
    const stores = storesOfEachTest(open);

    const addFits = async (count: number, workspaceId?: Uuid): Promise<readonly ProcessingMedia[]> => {
      const of = workspaceId ?? (await addWorkspace(stores.one)).id;
      const items = Array.from({ length: count }, () => sampleFit(of));
      for (const item of items) expect(await stores.one.fitQueue.add(item, ORDER)).toBe('kept');
      return items;
    };
    const claim = (of: Stores, owner: string, now = NOW, without: readonly Uuid[] = []): Promise<FitJob | null> =>
      of.fitQueue.claim({ now, lease: { owner, until: now + 60_000 }, without });
    const failed = (item: ProcessingMedia) => ({
      item: fail(item, 'The original no longer exists.', NOW),
      cover: null,
    });

    test('are inserted with their item, or neither is', async () => {
      const [item] = await addFits(1);
      expect((await stores.two.media.find(idOf(item)))?.item).toEqual(item);
      const homeless = { ...sampleFit(item?.workspaceId ?? newId()), folderId: newId() };
      expect(await stores.one.fitQueue.add(homeless, ORDER)).toBe('folder_missing');
      expect(await stores.two.fitQueue.depth()).toBe(1);
    });

    test(`are limited to ${MAX_FITS_WAITING} per workspace`, async () => {
      const [item] = await addFits(MAX_FITS_WAITING);
      const { workspaceId } = item ?? sampleFit(newId());
      expect(await stores.two.fitQueue.add(sampleFit(workspaceId), ORDER)).toBe('full');
      await addFits(1);
    });

    test('are claimed by one of two concurrent callers, and by another when the lease has expired', async () => {
      const [item] = await addFits(1);
      const [mediaId, workspaceId] = [idOf(item), item?.workspaceId];
      const answers = await Promise.all([claim(stores.one, 'one'), claim(stores.two, 'two')]);
      const job = { mediaId, workspaceId, ...ORDER, claims: 1 } as const;
      expect(answers.filter((answer) => answer !== null)).toEqual([job as FitJob]);
      const [winner, loser] = answers[0] ? ['one', 'two'] : ['two', 'one'];
      expect(await stores.one.fitQueue.renew(mediaId, { owner: loser, until: UNTIL })).toBe(false);
      expect(await stores.one.fitQueue.renew(mediaId, { owner: winner, until: UNTIL + 5 })).toBe(true);
      expect(await claim(stores.two, 'three', UNTIL + 4)).toBeNull();
      expect(await claim(stores.two, 'three', UNTIL + 5)).toMatchObject({ mediaId, claims: 2 });
      expect(await stores.one.fitQueue.renew(mediaId, { owner: winner, until: UNTIL })).toBe(false);
      expect(await stores.one.fitQueue.finish(mediaId, winner, failed)).toBe(false);
      expect((await stores.two.media.find(mediaId))?.item).toEqual(item as ProcessingMedia);
    });

    test('come in order within a workspace, workspaces take turns, and excluded ones are skipped', async () => {
      const many = await addFits(3);
      const [one] = await addFits(1);
      const taken = [await claim(stores.one, 'a'), await claim(stores.two, 'b')].map((job) => job?.mediaId);
      expect([...taken].sort()).toEqual([idOf(many[0]), idOf(one)].sort());
      expect(await claim(stores.one, 'c', NOW, [many[0]?.workspaceId ?? newId()])).toBeNull();
      expect((await claim(stores.one, 'd'))?.mediaId).toBe(idOf(many[1]));
      expect((await claim(stores.one, 'e'))?.mediaId).toBe(idOf(many[2]));
    });

    test('go to the end of the queue when released, with the given claims', async () => {
      const [first, second] = await addFits(2);
      await claim(stores.one, 'one');
      await stores.two.fitQueue.release(idOf(first), 'another', { freeAt: NOW, claims: 0 });
      expect((await claim(stores.two, 'two'))?.mediaId).toBe(idOf(second));
      await stores.one.fitQueue.release(idOf(first), 'one', { freeAt: NOW + 5, claims: 0 });
      expect(await claim(stores.two, 'two')).toBeNull();
      expect(await claim(stores.two, 'two', NOW + 5)).toMatchObject({ mediaId: idOf(first), claims: 1 });
    });

    test('end once, when their item does, and are deleted with it', async () => {
      const [active, unfit, removed] = await addFits(3);
      for (const owner of ['a', 'b', 'c']) await claim(stores.one, owner);
      const { content } = sampleVideo(newId());
      const become = (item: ProcessingMedia) => ({
        item: { ...item, status: 'active', content, coverOf: null } as const,
        cover: 'due' as const,
      });
      expect(await stores.one.fitQueue.finish(idOf(active), 'a', become)).toBe(true);
      expect(await stores.two.fitQueue.finish(idOf(active), 'a', become)).toBe(false);
      expect(await stores.two.coverQueue.depth()).toBe(1);
      expect(await stores.two.fitQueue.finish(idOf(unfit), 'b', failed)).toBe(true);
      await stores.one.media.remove(idOf(removed));
      expect(await stores.two.fitQueue.renew(idOf(removed), { owner: 'c', until: UNTIL })).toBe(false);
      expect(await stores.two.fitQueue.finish(idOf(removed), 'c', failed)).toBe(false);
      expect(await stores.two.fitQueue.depth()).toBe(0);
      const { item } = (await stores.two.media.find(idOf(active))) ?? {};
      expect(item).toMatchObject({ status: 'active', fittedFrom: active?.fittedFrom as Uuid });
    });
  });
}

function idOf(item: ProcessingMedia | undefined): Uuid {
  if (!item) throw new Error('There is no such item.');
  return item.id;
}
