import { describe, expect, test } from 'bun:test';
import { type ActiveMedia, type Quota, StorageFull, type Uuid } from '@postshelf/domain';
import { thrownBy } from '../../outcomes.ts';
import { addImport, LEASE_TIME } from '../job-samples.ts';
import { arrived, arrives, breaksOff, PENDING_KINDS } from '../pending/kinds.ts';
import { sampleUpload } from '../presign-repository/samples.ts';
import { addWorkspace, eventsDuring, NOW, newId, sampleCover, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

/** Returns a new image of this size with a unique hash. */
const image = (workspaceId: Uuid, size: number): ActiveMedia => {
  const { content, ...item } = sampleImage(workspaceId);
  return { ...item, content: { ...content, size, sha256: newId().replaceAll('-', '').repeat(2) } };
};

async function limited(stores: Stores, quota: Partial<Quota>): Promise<Uuid> {
  const { id } = await addWorkspace(stores);
  await stores.workspaces.update(id, quota);
  return id;
}

const upload = (workspaceId: Uuid, size: number) => {
  const { item, upload } = sampleUpload(workspaceId);
  return { item, upload: { ...upload, size } };
};

/** Whether the write was accepted; false if the workspace was full. */
const isKept = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => true,
    (cause: unknown) => {
      if (!(cause instanceof StorageFull)) throw cause;
      return false;
    },
  );

/** The contract of quotas, which applies to everything that adds files. */
export function describeQuotas(name: string, open: OpenStores): void {
  describe(`${name}: quotas`, () => {
    const stores = storesOfEachTest(open);
    const usedIn = async (id: Uuid) => {
      const usage = await stores.two.workspaces.usage(id);
      return usage && [usage.bytes, usage.items, usage.images, usage.videos];
    };

    test('measure active items without covers, whatever happens to them', async () => {
      const { id } = await addWorkspace(stores.one);
      const [photo, video] = [image(id, 3), sampleVideo(id)];
      await stores.one.media.insert([photo, video, sampleCover(video)]);
      await addImport(stores.one, id);
      await stores.one.presign.add([upload(id, 7)]);
      expect(await usedIn(id)).toEqual([3 + video.content.size, 2, 1, 1]);
      await stores.one.media.update(photo.id, { name: 'other' }, NOW);
      await stores.two.media.delete(video.id);
      expect(await usedIn(id)).toEqual([3, 1, 1, 0]);
      expect(await stores.one.workspaces.usage(newId())).toBeNull();
    });

    test('are kept with a workspace, and changed one by one', async () => {
      const id = await limited(stores.one, { maxBytes: 2 ** 50 });
      await stores.one.workspaces.update(id, { maxItems: 0 });
      expect(await stores.two.workspaces.find(id)).toMatchObject({ maxBytes: 2 ** 50, maxItems: 0 });
      await stores.one.workspaces.update(id, { maxBytes: null });
      expect(await stores.two.workspaces.usage(id)).toMatchObject({ bytes: 0, maxBytes: null, maxItems: 0 });
    });

    test('can be filled to the last byte and item, and refuse anything beyond', async () => {
      const id = await limited(stores.one, { maxBytes: 10, maxItems: 3 });
      await stores.one.media.insert([image(id, 4)]);
      const [six, seven] = [image(id, 6), image(id, 7)];
      const events = await eventsDuring(stores.two, async () => {
        const refused = stores.one.uploads.insertNew(id, [{ item: seven, cover: null }], []);
        expect(await thrownBy(refused)).toMatchObject({ room: { bytes: 6, items: 2 } });
      });
      expect([events, await stores.two.media.find(seven.id)]).toEqual([[], null]);
      expect(await isKept(stores.one.uploads.insertNew(id, [{ item: six, cover: null }], []))).toBe(true);
      expect(await isKept(stores.one.media.insert([image(id, 0)]))).toBe(true);
      expect(await isKept(stores.one.media.insert([image(id, 0)]))).toBe(false);
      // Neither changes nor removals are measured against the quota.
      await stores.one.workspaces.update(id, { maxItems: 0 });
      expect(await stores.one.media.update(six.id, { name: 'other' }, NOW)).not.toBeNull();
      expect(await stores.one.media.delete(six.id)).toHaveLength(1);
    });

    test("don't count a file again whose item exists", async () => {
      const id = await limited(stores.one, { maxItems: 1 });
      const first = image(id, 4);
      await stores.one.media.insert([first]);
      const again = { ...image(id, 4), content: first.content };
      expect((await stores.two.uploads.insertNew(id, [{ item: again, cover: null }], [])).valueOf()).toEqual(
        new Map([[first.content.sha256, { item: first, cover: null }]]),
      );
    });

    test('reserve declared bytes until the upload has ended in any way', async () => {
      const id = await limited(stores.one, { maxBytes: 10 });
      const [settled, failed, removed] = [upload(id, 3), upload(id, 4), upload(id, 3)];
      await stores.one.presign.add([settled, failed, removed]);
      const isFull = async (): Promise<boolean> => !(await isKept(stores.two.presign.add([upload(id, 1)])));
      const roomFor = (size: number) => isKept(stores.two.media.insert([image(id, size)]));
      expect([await isFull(), await roomFor(1)]).toEqual([true, false]);
      for (const { item } of [settled, failed]) {
        await stores.one.presign.claim(item.id, { owner: 'a', until: NOW + LEASE_TIME }, NOW);
      }
      expect(
        await stores.one.presign.finish(settled.item.id, 'a', (item) => ({
          item: arrived(item, { size: 3 }),
          cover: null,
        })),
      ).toBe(true);
      expect([await usedIn(id), await isFull()]).toEqual([[3, 1, 0, 1], true]);
      await stores.one.presign.finish(failed.item.id, 'a', breaksOff);
      expect([await roomFor(5), await roomFor(4)]).toEqual([false, true]);
      await stores.one.media.delete(removed.item.id, NOW);
      expect([await roomFor(4), await roomFor(3)]).toEqual([false, true]);
    });

    test.each(PENDING_KINDS)('refuse to finish $name without room, and leave them to their owner', async (kind) => {
      const id = await limited(stores.one, { maxItems: 1 });
      const item = kind.sample(id);
      await kind.add(stores.one, [item]);
      await stores.one.workspaces.update(id, { maxItems: 0 });
      expect(await kind.claim(stores.one, item.id, 'a', NOW)).toBe(true);
      expect(await isKept(kind.finish(stores.one, item.id, 'a', arrives()))).toBe(false);
      expect((await stores.two.media.find(item.id))?.item).toEqual(item);
      expect(await kind.finish(stores.one, item.id, 'a', breaksOff)).toBe(true);
    });

    test.each<[string, (of: Stores, id: Uuid) => Promise<unknown>]>([
      ['inserted', (of, id) => of.media.insert([image(id, 10)])],
      ['uploaded', (of, id) => of.uploads.insertNew(id, [{ item: image(id, 10), cover: null }], [])],
      ['presigned', (of, id) => of.presign.add([upload(id, 10)])],
    ])('accept exactly as many files as fit, of twenty that are %s concurrently by two instances', async (_, bring) => {
      const id = await limited(stores.one, { maxBytes: 75 });
      const other = await addWorkspace(stores.one);
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_each, index) => {
          const of = index % 2 === 0 ? stores.one : stores.two;
          await bring(of, other.id);
          return isKept(bring(of, id));
        }),
      );
      expect(answers.filter(Boolean)).toHaveLength(7);
    });

    test('emit one event each when usage reaches 80 and 100 percent', async () => {
      const id = await limited(stores.one, { maxBytes: 100, maxItems: 1000 });
      const quotaEvents = async (work: () => Promise<unknown>) =>
        (await eventsDuring(stores.two, work)).flatMap(({ content, type, workspaceId }) =>
          content.kind === 'workspace' ? [{ type, workspaceId, ...content.usage }] : [],
        );
      const grow = (size: number) => quotaEvents(() => stores.one.media.insert([image(id, size)]));
      expect(await grow(79)).toEqual([]);
      const usage = { images: 2, videos: 0, trashBytes: 0, trashItems: 0, maxBytes: 100, maxItems: 1000 };
      const event = { type: 'workspace.quota', workspaceId: id, ...usage } as const;
      expect(await grow(1)).toEqual([{ ...event, bytes: 80, items: 2 }]);
      expect(await grow(19)).toEqual([]);
      expect(await grow(1)).toMatchObject([{ bytes: 100, items: 4 }]);
      expect(await quotaEvents(() => stores.one.workspaces.update(id, { maxItems: 5 }))).toMatchObject([
        { maxItems: 5 },
      ]);
      expect(await quotaEvents(() => stores.one.workspaces.update(id, { maxItems: 5 }))).toEqual([]);
    });
  });
}
