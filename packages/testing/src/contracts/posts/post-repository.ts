import { describe, expect, test } from 'bun:test';
import { FIRST_PUBLISHED, LAST_PUBLISHED, MAX_METRIC, NO_METRICS, type PostMetrics } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describePostAttachments } from './attachments.ts';
import { describePostLists } from './lists.ts';
import { describePostPuts } from './puts.ts';
import { describePostRaces } from './races.ts';
import { addPost, addProfile, sampleDetails, samplePost } from './samples.ts';

/** The contract of {@link PostRepository}; its effects on {@link BestTimesRepository} are in that port's suite. */
export function describePostRepository(name: string, open: OpenStores): void {
  describe(`${name}: post repository`, () => {
    describeKeeping(open);
    describeMetrics(open);
    describeTimes(open);
    describeRemoving(open);
    describePostPuts(open);
    describePostAttachments(open);
    describePostLists(open);
    describePostRaces(open);
  });
}

function describeKeeping(open: OpenStores): void {
  describe('keeping', () => {
    const stores = storesOfEachTest(open);

    test('keeps posts as they were given, for every instance', async () => {
      const profile = await addProfile(stores.one);
      const max = MAX_METRIC;
      const metrics = { impressions: max, likes: max, comments: max, shares: max, saves: max, clicks: max };
      for (const post of [
        samplePost(profile),
        samplePost(profile, { text: null, metrics: NO_METRICS, updatedAt: NOW + 1 }),
        samplePost(profile, {
          text: 'Été 😀 "%_\\\'\nline',
          externalId: '😀'.repeat(255),
          publishedAt: FIRST_PUBLISHED,
        }),
        samplePost(profile, { text: '', externalId: '', publishedAt: LAST_PUBLISHED, metrics }),
        samplePost(profile, { text: '😀'.repeat(65_535) }),
      ]) {
        expect(await stores.one.posts.insert(post)).toBeNull();
        expect(await stores.one.posts.find(post.id)).toEqual(post);
        expect(await stores.two.posts.find(post.id)).toEqual(post);
      }
    });

    test('finds a post by its profile and its exact external id', async () => {
      const { id } = await addWorkspace(stores.one);
      const [profile, other] = [await addProfile(stores.one, id), await addProfile(stores.one, id)];
      const posts = [
        await addPost(stores.one, profile, { externalId: 'post' }),
        await addPost(stores.one, profile, { externalId: 'POST' }),
        await addPost(stores.one, other, { externalId: 'post' }),
      ];
      for (const post of posts) {
        expect(await stores.two.posts.findExternal(post.profileId, `${post.externalId}`)).toEqual(post);
      }
      expect(await stores.two.posts.findExternal(other.id, 'POST')).toBeNull();
    });

    test('refuses an external id that the profile has, and keeps nothing', async () => {
      const profile = await addProfile(stores.one);
      const kept = await addPost(stores.one, profile, { externalId: 'post' });
      const twin = samplePost(profile, { externalId: 'post', text: 'Twin' });
      expect(await stores.two.posts.insert(twin)).toEqual({ conflict: 'external_id_taken' });
      expect(await stores.one.posts.find(twin.id)).toBeNull();
      expect(await stores.one.posts.findExternal(profile.id, 'post')).toEqual(kept);
    });

    test('accepts any number of posts without an external id', async () => {
      const profile = await addProfile(stores.one);
      const posts = [await addPost(stores.one, profile), await addPost(stores.one, profile)];
      for (const post of posts) expect(await stores.two.posts.find(post.id)).toEqual(post);
    });

    test('throws if the id is taken or the profile is not one of the workspace, and keeps nothing', async () => {
      const profile = await addProfile(stores.one);
      const { id: workspaceId } = await addWorkspace(stores.one);
      const kept = await addPost(stores.one, profile);
      const twin = samplePost(profile, { id: kept.id, text: 'Twin' });
      expect(await outcomeOf(stores.two.posts.insert(twin))).toThrow();
      expect(await stores.one.posts.find(kept.id)).toEqual(kept);
      for (const bad of [samplePost(profile, { profileId: newId() }), samplePost(profile, { workspaceId })]) {
        expect(await outcomeOf(stores.two.posts.insert(bad))).toThrow();
        expect(await stores.one.posts.find(bad.id)).toBeNull();
      }
    });
  });
}

function describeMetrics(open: OpenStores): void {
  describe('updating', () => {
    const stores = storesOfEachTest(open);

    test('notices a change of any of them', async () => {
      const profile = await addProfile(stores.one);
      for (const name of Object.keys(NO_METRICS) as (keyof PostMetrics)[]) {
        const { id, metrics } = await addPost(stores.one, profile, { externalId: name });
        for (const count of [metrics[name] + 1, metrics[name]]) {
          const updated = await stores.one.posts.update(id, { metrics: { [name]: count } }, NOW + count);
          expect(updated).toMatchObject({ metrics: { ...metrics, [name]: count }, updatedAt: NOW + count });
        }
        const details = sampleDetails(profile, { externalId: name, metrics: { [name]: MAX_METRIC } });
        expect(await stores.one.posts.upsert([details], NOW)).toEqual(['updated']);
        expect(await stores.two.posts.find(id)).toMatchObject({ metrics: { ...metrics, [name]: MAX_METRIC } });
      }
    });

    test('keeps updatedAt if they do not change', async () => {
      const post = await addPost(stores.one, await addProfile(stores.one));
      for (const given of [{}, { likes: post.metrics.likes }, post.metrics]) {
        expect(await stores.one.posts.update(post.id, { metrics: given }, NOW + 1)).toEqual(post);
        expect(await stores.two.posts.find(post.id)).toEqual(post);
      }
    });

    test('changes the given fields, and frees the external id', async () => {
      const profile = await addProfile(stores.one);
      const post = await addPost(stores.one, profile, { externalId: 'old' });
      const edit = { publishedAt: NOW + 1, text: null, externalId: 'new' };
      const changed = { ...post, ...edit, version: 2, updatedAt: NOW + 2 };
      expect(await stores.one.posts.update(post.id, edit, NOW + 2)).toEqual(changed);
      expect(await stores.two.posts.find(post.id)).toEqual(changed);
      const next = await addPost(stores.two, profile, { externalId: 'old' });
      expect(await stores.one.posts.update(next.id, { text: 'x', externalId: 'new' }, NOW)).toEqual({
        conflict: 'external_id_taken',
      });
      expect(await stores.two.posts.find(next.id)).toEqual(next);
      expect(await stores.one.posts.update(next.id, { externalId: null }, NOW)).toMatchObject({ externalId: null });
      expect(await stores.two.posts.findExternal(profile.id, 'old')).toBeNull();
    });

    test('returns null for an unknown post', async () => {
      expect(await stores.one.posts.update(newId(), { metrics: { likes: 1 } }, NOW)).toBeNull();
    });
  });
}

function describeTimes(open: OpenStores): void {
  describe('times of publication', () => {
    const stores = storesOfEachTest(open);

    test('are those of one profile within a window, both ends included, latest first, up to a limit', async () => {
      const { id } = await addWorkspace(stores.one);
      const [profile, other] = [await addProfile(stores.one, id), await addProfile(stores.one, id)];
      for (const after of [-1, 0, 5, 5, 9, 10]) await addPost(stores.one, profile, { publishedAt: NOW + after });
      await addPost(stores.one, other, { publishedAt: NOW + 5 });
      const { posts } = stores.two;
      expect(await posts.publishedWithin(profile.id, NOW, NOW + 9, 10)).toEqual([NOW + 9, NOW + 5, NOW + 5, NOW]);
      expect(await posts.publishedWithin(profile.id, NOW, NOW + 9, 2)).toEqual([NOW + 9, NOW + 5]);
      expect(await posts.publishedWithin(newId(), NOW, NOW + 9, 10)).toEqual([]);
    });
  });
}

function describeRemoving(open: OpenStores): void {
  describe('deleting', () => {
    const stores = storesOfEachTest(open);

    test('succeeds once, and affects one post', async () => {
      const profile = await addProfile(stores.one);
      const [post, other] = [
        await addPost(stores.one, profile, { externalId: 'post' }),
        await addPost(stores.one, profile),
      ];
      expect(await stores.one.posts.delete(post.id)).toBe(true);
      expect(await stores.two.posts.delete(post.id)).toBe(false);
      expect(await stores.two.posts.find(post.id)).toBeNull();
      expect(await stores.two.posts.findExternal(profile.id, 'post')).toBeNull();
      expect(await stores.two.posts.find(other.id)).toEqual(other);
      const next = await addPost(stores.two, profile, { externalId: 'post' });
      expect(await stores.one.posts.findExternal(profile.id, 'post')).toEqual(next);
    });
  });
}
