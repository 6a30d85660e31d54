import { describe, expect, test } from 'bun:test';
import type { LibraryEvent, MediaItem } from '@postshelf/domain';
import { claim } from '../job-samples.ts';
import { arrives, breaksOff, PENDING_KINDS } from '../pending/kinds.ts';
import { addPost, addProfile, madeOf, sampleDetails, samplePost } from '../posts/samples.ts';
import {
  addFolder,
  addListened,
  eventsDuring,
  NOW,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeListening } from './listening.ts';
import { describeEventRaces } from './races.ts';
import { describeEventReading } from './reading.ts';

const AWKWARD = '"a\\b\n\t\u0001é😀\u2028';

/**
 * The contract of {@link EventRepository}, and of the events that each change in the other repositories records there.
 */
export function describeEventRepository(name: string, open: OpenStores): void {
  describe(`${name}: events`, () => {
    describe('record', () => {
      const stores = storesOfEachTest(open);

      const eventsBy = (work: () => Promise<unknown>) => eventsDuring(stores.two, work);

      /** Expects one event, about an item in its current state. */
      const expectItem = async (events: readonly LibraryEvent[], type: string, { id, workspaceId }: MediaItem) => {
        const media = await stores.one.media.find(id);
        expect(events).toEqual([
          { id: expect.any(String), type, workspaceId, at: expect.any(Number), content: expect.anything() },
        ] as never);
        expect(events[0]?.content).toEqual({ kind: 'media', media } as never);
      };

      test('a new item with its cover', async () => {
        const video = sampleVideo((await addListened(stores.one)).id);
        const cover = sampleCover(video);
        for (const order of [[video, cover], [sampleVideo(video.workspaceId)]]) {
          const events = await eventsBy(() => stores.one.media.insert(order));
          await expectItem(events, 'media.active', order[0] as MediaItem);
        }
        const other = sampleVideo(video.workspaceId);
        const events = await eventsBy(() => stores.one.media.insert([sampleCover(other), other]));
        await expectItem(events, 'media.active', other);
      });

      test('several items of one write, each once', async () => {
        const { id } = await addListened(stores.one);
        const items = [sampleImage(id), sampleImage(id), sampleVideo(id)];
        const events = await eventsBy(() => stores.one.media.insert(items));
        expect(events.map((event) => event.content.kind === 'media' && event.content.media.item)).toEqual(
          expect.arrayContaining(items),
        );
        expect(events).toHaveLength(3);
      });

      test('a cover that is added later', async () => {
        const video = sampleVideo((await addListened(stores.one)).id);
        await stores.one.media.insert([video], [video.id]);
        await claim(stores.one, 'cover', 'worker');
        const events = await eventsBy(() => stores.one.media.finishCover(video.id, 'worker', sampleCover(video)));
        await expectItem(events, 'media.updated', video);
        expect(events[0]?.content).toHaveProperty('media.cover.coverOf', video.id);
      });

      test.each(PENDING_KINDS.map((kind) => [kind.name, kind] as const))(
        'files that arrive later: %s',
        async (_, kind) => {
          const { id } = await addListened(stores.one);
          const items = [kind.sample(id), kind.sample(id)] as const;
          const isHidden = items[0].status === 'temporary';
          const started = await eventsBy(() => kind.add(stores.one, items));
          expect(started.map(({ type }) => type)).toEqual(isHidden ? [] : ['media.processing', 'media.processing']);
          const claims = await eventsBy(async () => {
            await kind.claim(stores.one, items[0].id, 'me', NOW);
            await kind.claim(stores.one, items[1].id, 'me', NOW);
          });
          expect(claims).toEqual([]);
          const cover = sampleCover(sampleVideo(id, { id: items[0].id }));
          const ended = await eventsBy(() => kind.finish(stores.one, items[0].id, 'me', arrives(cover)));
          await expectItem(ended, 'media.active', items[0]);
          const failed = await eventsBy(() => kind.finish(stores.one, items[1].id, 'me', breaksOff));
          await expectItem(failed, 'media.failed', items[1]);
        },
      );

      test('nothing when an unfinished presigned upload is removed', async () => {
        const kind = PENDING_KINDS.find(({ name }) => name === 'presigned uploads');
        const item = kind?.sample((await addListened(stores.one)).id);
        if (!kind || !item) throw new Error('There is no such kind.');
        await kind.add(stores.one, [item]);
        expect(await eventsBy(() => stores.one.media.delete(item.id))).toEqual([]);
      });

      test('changes of an item and its tags', async () => {
        const { id } = await addListened(stores.one);
        const image = sampleImage(id);
        await stores.one.media.insert([image]);
        const folder = await addFolder(stores.one, id);
        // All changes are made within one millisecond.
        const now = Date.now();
        for (const change of [
          ...[{ name: AWKWARD }, { label: 'label' }, { altText: AWKWARD }, { tags: ['a', 'b'] }],
          ...[{ addedTags: ['c'] }, { removedTags: ['a'] }, { folderId: folder.id }],
        ]) {
          const events = await eventsBy(() => stores.one.media.update(image.id, change, now));
          await expectItem(events, 'media.updated', image);
        }
        // Events don't show the focus.
        const events = await eventsBy(() => stores.one.media.update(image.id, { focus: { x: 0.2, y: 0.7 } }, now));
        expect(events).toMatchObject([{ type: 'media.updated', content: { media: { item: { id: image.id } } } }]);
      });

      test('the deletion of an item, with its cover', async () => {
        const video = sampleVideo((await addListened(stores.one)).id);
        await stores.one.media.insert([video, sampleCover(video)]);
        const events = await eventsBy(() => stores.one.media.delete(video.id, NOW));
        expect(events).toMatchObject([{ type: 'media.deleted', content: { kind: 'deleted', id: video.id } }]);
        expect(events[0]?.workspaceId).toBe(video.workspaceId);
      });

      test('changes of folders', async () => {
        const { id } = await addListened(stores.one);
        const parent = await addFolder(stores.one, id);
        const folder = sampleFolder(id);
        const made = await eventsBy(() => stores.one.folders.insert(folder));
        expect(made).toMatchObject([{ type: 'folder.created', workspaceId: id, content: { kind: 'folder', folder } }]);
        for (const change of [{ name: AWKWARD }, { parentId: parent.id }]) {
          const events = await eventsBy(() => stores.one.folders.update(folder.id, change, NOW + 1));
          const now = await stores.one.folders.find(folder.id);
          expect(events).toMatchObject([{ type: 'folder.updated', content: { kind: 'folder', folder: now } }] as never);
        }
        const deleted = await eventsBy(() => stores.one.folders.delete(folder.id));
        expect(deleted).toMatchObject([{ type: 'folder.deleted', content: { kind: 'deleted', id: folder.id } }]);
      });

      test('changes of posts, without their text', async () => {
        const profile = await addProfile(stores.one, (await addListened(stores.one)).id);
        const images = [sampleImage(profile.workspaceId), sampleImage(profile.workspaceId)];
        await stores.one.media.insert(images);
        const mediaIds = images.map(({ id }) => id).reverse();
        const { text: _, ...post } = samplePost(profile, { mediaIds, externalId: AWKWARD });
        const made = await eventsBy(() => stores.one.posts.insert({ ...post, text: 'text' }));
        expect(made).toMatchObject([{ type: 'post.created', workspaceId: profile.workspaceId }]);
        expect(made[0]?.content).toEqual({ kind: 'post', post });
        const events = await eventsBy(() => stores.one.posts.update(post.id, { metrics: { likes: 51 } }, NOW + 1));
        const metrics = { ...post.metrics, likes: 51 };
        expect(events).toMatchObject([
          { type: 'post.updated', content: { post: { metrics, mediaIds, updatedAt: NOW + 1 } } },
        ]);
        expect(await eventsBy(() => stores.one.posts.update(post.id, { metrics: { likes: 51 } }, NOW + 2))).toEqual([]);
        const deleted = await eventsBy(() => stores.one.posts.delete(post.id));
        expect(deleted).toMatchObject([{ type: 'post.deleted', content: { kind: 'deleted', id: post.id } }]);
      });

      test('each post that an import writes', async () => {
        const profile = await addProfile(stores.one, (await addListened(stores.one)).id);
        const image = sampleImage(profile.workspaceId);
        await stores.one.media.insert([image]);
        const lines = Array.from({ length: 600 }, (_, n) => sampleDetails(profile, { metrics: { likes: n } }));
        const made = await eventsBy(() => stores.one.posts.upsert([...lines, ...lines.slice(0, 5)], NOW));
        expect(made).toHaveLength(lines.length);
        expect(new Set(made.map(({ type }) => type))).toEqual(new Set(['post.created']));
        const [first, second, third, ...rest] = lines;
        if (!first || !second || !third) throw new Error('There are no lines.');
        const changed = [{ ...first, metrics: { likes: 9 } }, second, { ...third, mediaIds: [image.id] }, ...rest];
        const events = await eventsBy(() => stores.one.posts.upsert(changed, NOW + 1));
        const { text: _, ...post } = { ...madeOf(third, NOW), mediaIds: [image.id], version: 2, updatedAt: NOW + 1 };
        expect(events.map(({ type }) => type)).toEqual(['post.updated', 'post.updated']);
        expect(events).toContainEqual(expect.objectContaining({ content: { kind: 'post', post } }));
        expect(await eventsBy(() => stores.one.posts.upsert(changed, NOW + 2))).toEqual([]);
      });

      test('nothing that was refused or rolled back, and no changes of other rows', async () => {
        const { id } = await addListened(stores.one);
        const folder = await addFolder(stores.one, id);
        const image = sampleImage(id, { folderId: folder.id });
        await stores.one.media.insert([image]);
        const profile = await addProfile(stores.one, id);
        const post = await addPost(stores.one, profile, { mediaIds: [image.id] });
        const events = await eventsBy(async () => {
          await stores.one.media.insert([sampleImage(id), sampleImage(id, { folderId: newId() })]);
          await Promise.allSettled([stores.one.media.insert([sampleImage(id), { ...image, name: 'same id' }])]);
          await stores.one.media.update(image.id, { folderId: newId() }, NOW);
          await stores.one.media.delete(image.id);
          await stores.one.folders.delete(folder.id);
          await stores.one.folders.insert({ ...folder, id: newId() });
          await stores.one.posts.insert(samplePost(profile, { mediaIds: [newId()] }));
          await stores.one.profiles.update(profile.id, { name: 'new' }, NOW);
          await stores.one.media.storeInspected(image.id, { details: { image: null, video: null }, sha256: null });
          await stores.one.workspaces.update(id, { name: 'new' });
        });
        expect(events).toEqual([]);
        expect(await stores.one.posts.find(post.id)).not.toBeNull();
      });
    });

    describeListening(open);
    describeEventReading(open);
    describeEventRaces(open);
  });
}
