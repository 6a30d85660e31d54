import { describe, expect, test } from 'bun:test';
import type { MediaItem, Post, Profile, Uuid } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { addWorkspace, NOW, newId, sampleCover, sampleImage, sampleProcessing, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addPost, addProfile, sampleDetails, samplePost } from './samples.ts';

const LATER = NOW + 1000;

/** Checks which media can be attached to posts, and that attached media can't be removed. */
export function describePostAttachments(open: OpenStores): void {
  describe('attaching media', () => {
    const stores = storesOfEachTest(open);

    const addMedia = async (...items: MediaItem[]): Promise<Uuid[]> => {
      await stores.one.media.insert(items);
      return items.map((item) => item.id);
    };
    const images = ({ workspaceId }: Profile, length: number) =>
      addMedia(...Array.from({ length }, () => sampleImage(workspaceId)));

    test('keeps active media of the workspace, in the order given', async () => {
      const profile = await addProfile(stores.one);
      const ids = [...(await images(profile, 49)), ...(await addMedia(sampleVideo(profile.workspaceId)))].toReversed();
      const post = await addPost(stores.one, profile, { mediaIds: ids });
      expect(await stores.two.posts.find(post.id)).toEqual(post);
      expect(post.mediaIds).toHaveLength(50);
    });

    test('returns the reason for every other item by index, and inserts nothing', async () => {
      const profile = await addProfile(stores.one);
      const { workspaceId } = profile;
      const processing = sampleProcessing(workspaceId);
      const foreign = sampleImage((await addWorkspace(stores.one)).id);
      const [good, alsoGood] = [sampleImage(workspaceId), sampleImage(workspaceId)];
      const mediaIds = await addMedia(good, processing, alsoGood, foreign);
      mediaIds.push(newId());
      const conflict = {
        conflict: 'media' as const,
        refusals: new Map([
          [1, 'processing' as const],
          [3, 'unknown' as const],
          [4, 'unknown' as const],
        ]),
      };
      const post = samplePost(profile, { mediaIds });
      expect(await stores.one.posts.insert(post)).toEqual(conflict);
      expect(await stores.two.posts.find(post.id)).toBeNull();
      const [beside, details] = [sampleDetails(profile), sampleDetails(profile, { mediaIds })];
      expect(await stores.one.posts.upsert([details, beside], NOW)).toEqual([conflict, 'created']);
      expect(await stores.two.posts.findExternal(profile.id, details.externalId)).toBeNull();
      expect(await stores.two.posts.find(beside.id)).not.toBeNull();
    });

    describe('to an existing post', () => {
      const addShowing = async (count: number): Promise<{ profile: Profile; post: Post; media: Uuid[] }> => {
        const profile = await addProfile(stores.one);
        const media = await images(profile, count);
        return { profile, media, post: await addPost(stores.one, profile, { externalId: 'post', mediaIds: media }) };
      };
      const put = (profile: Profile, mediaIds: readonly Uuid[]) =>
        stores.one.posts.upsert([sampleDetails(profile, { externalId: 'post', mediaIds })], LATER);

      test('supports another order, more items, fewer and none', async () => {
        const { profile, post, media } = await addShowing(3);
        const more = await images(profile, 2);
        const lists = [media.toReversed(), [...more, ...media], more.slice(1), [], media];
        for (const [time, mediaIds] of lists.entries()) {
          expect(await put(profile, mediaIds)).toEqual(['updated']);
          expect(await stores.two.posts.find(post.id)).toEqual({
            ...post,
            mediaIds,
            version: time + 2,
            updatedAt: LATER,
          });
          expect(await put(profile, mediaIds)).toEqual(['unchanged']);
        }
      });

      test('keeps the last valid list if the post is given more than once', async () => {
        const { profile, post, media } = await addShowing(2);
        const said = (mediaIds: readonly Uuid[]) => sampleDetails(profile, { externalId: 'post', mediaIds });
        const unknown = newId();
        const batch = [said([]), said([unknown]), said(media.slice(1)), said(media.toReversed())];
        const refused = { conflict: 'media' as const, refusals: new Map([[0, 'unknown' as const]]) };
        const outcomes = ['updated', refused, 'updated', 'updated'] as const;
        expect(await stores.one.posts.upsert(batch, LATER)).toEqual([...outcomes]);
        expect(await stores.two.posts.find(post.id)).toEqual({
          ...post,
          mediaIds: media.toReversed(),
          version: 4,
          updatedAt: LATER,
        });
      });
    });

    test('is refused for one item twice, and keeps nothing', async () => {
      const profile = await addProfile(stores.one);
      const [id] = (await images(profile, 1)) as [Uuid];
      const post = samplePost(profile, { mediaIds: [id, id] });
      expect(await outcomeOf(stores.one.posts.insert(post))).toThrow();
      expect(await stores.two.posts.find(post.id)).toBeNull();
    });
  });

  describe('media attached to a post', () => {
    const stores = storesOfEachTest(open);

    test('can be deleted only after the last post that it is attached to', async () => {
      const profile = await addProfile(stores.one);
      const [video, image] = [sampleVideo(profile.workspaceId), sampleImage(profile.workspaceId)];
      const cover = sampleCover(video);
      await stores.one.media.insert([video, cover, image]);
      const posts = [
        await addPost(stores.one, profile, { mediaIds: [image.id, video.id] }),
        await addPost(stores.one, profile, { mediaIds: [video.id] }),
      ];
      for (const post of posts) {
        expect(await stores.two.media.delete(video.id)).toBe('in_use');
        expect(await stores.one.media.find(video.id)).toEqual({ item: video, cover });
        await stores.one.posts.delete(post.id);
      }
      expect(new Set(await stores.two.media.delete(video.id))).toEqual(new Set([video.fullName, cover.fullName]));
      expect(await stores.two.media.delete(image.id)).toEqual([image.fullName]);
    });

    test('can be deleted once the post has other media', async () => {
      const profile = await addProfile(stores.one);
      const item = sampleImage(profile.workspaceId);
      await stores.one.media.insert([item]);
      await addPost(stores.one, profile, { externalId: 'post', mediaIds: [item.id] });
      expect(await stores.two.media.delete(item.id)).toBe('in_use');
      await stores.one.posts.upsert([sampleDetails(profile, { externalId: 'post', mediaIds: [] })], LATER);
      expect(await stores.two.media.delete(item.id)).toEqual([item.fullName]);
    });
  });
}
