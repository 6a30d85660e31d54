import { describe, expect, test } from 'bun:test';
import type { Post, Profile } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addPost, addProfile, madeOf, sampleDetails } from './samples.ts';

const LATER = NOW + 1000;

/** Checks inserting and updating several posts without media in one call. */
export function describePostPuts(open: OpenStores): void {
  describe('upserting', () => {
    const stores = storesOfEachTest(open);

    const expectPost = async (post: Post) =>
      expect(await stores.two.posts.findExternal(post.profileId, `${post.externalId}`)).toEqual(post);

    test('inserts new posts, with absent fields empty', async () => {
      const profile = await addProfile(stores.one);
      const said = [
        sampleDetails(profile),
        sampleDetails(profile, { text: 'Été 😀', metrics: { likes: 1 }, mediaIds: [] }),
        sampleDetails(profile, { text: null, publishedAt: 0 }),
      ];
      expect(await stores.one.posts.upsert(said, LATER)).toEqual(['created', 'created', 'created']);
      for (const details of said) await expectPost(madeOf(details, LATER));
    });

    test('updates the given fields of existing posts, and no others', async () => {
      const profile = await addProfile(stores.one);
      for (const said of [
        { text: null, metrics: { likes: 1 } },
        {
          publishedAt: 0,
          text: '',
          metrics: { impressions: 0, likes: 0, comments: 0, shares: 0, saves: 0, clicks: 0 },
        },
      ]) {
        const post = await addPost(stores.one, profile, { externalId: newId() });
        const details = sampleDetails(profile, { externalId: `${post.externalId}`, ...said });
        expect(await stores.one.posts.upsert([details], LATER)).toEqual(['updated']);
        const metrics = { ...post.metrics, ...said.metrics };
        await expectPost({ ...post, ...said, metrics, version: 2, updatedAt: LATER });
        expect(await stores.two.posts.find(details.id)).toBeNull();
      }
    });

    test('does not change a post if nothing is new, so that repeating is harmless', async () => {
      const profile = await addProfile(stores.one);
      const said = [
        sampleDetails(profile),
        sampleDetails(profile, { text: 'Sample', metrics: { likes: 1, saves: 0 }, mediaIds: [] }),
      ];
      await stores.one.posts.upsert(said, NOW);
      const repeated = said.map((details) => ({ ...details, id: newId() }));
      expect(await stores.two.posts.upsert(repeated, LATER)).toEqual(['unchanged', 'unchanged']);
      for (const details of said) await expectPost(madeOf(details, NOW));
    });

    test('distinguishes posts by profile and exact external id', async () => {
      const { id } = await addWorkspace(stores.one);
      const [profile, other] = [await addProfile(stores.one, id), await addProfile(stores.one, id)];
      const said = [
        sampleDetails(profile, { externalId: 'post' }),
        sampleDetails(other, { externalId: 'post' }),
        sampleDetails(profile, { externalId: 'POST' }),
        sampleDetails(profile, { externalId: 'post ' }),
        sampleDetails(profile, { externalId: '' }),
        sampleDetails(profile, { externalId: "' or 1=1 --" }),
      ];
      expect(await stores.one.posts.upsert(said, LATER)).toEqual(said.map(() => 'created'));
      for (const details of said) await expectPost(madeOf(details, LATER));
    });

    test('uses the later details of a post that is given twice', async () => {
      const profile = await addProfile(stores.one);
      const there = await addPost(stores.one, profile, { externalId: 'there' });
      const [first, second] = [sampleDetails(profile, { externalId: 'new', text: 'First' }), newId()];
      const outcomes = await stores.one.posts.upsert(
        [
          first,
          sampleDetails(profile, { externalId: 'there', text: 'First' }),
          { ...first, id: second, metrics: { likes: 2 } },
          { ...first, id: second, metrics: { likes: 2 } },
          sampleDetails(profile, { externalId: 'there', metrics: { likes: 3 }, publishedAt: NOW + 5 }),
          { ...first, id: second, text: 'Last' },
        ],
        LATER,
      );
      expect(outcomes).toEqual(['created', 'updated', 'updated', 'unchanged', 'updated', 'updated']);
      await expectPost({ ...madeOf({ ...first, text: 'Last', metrics: { likes: 2 } }, LATER), version: 3 });
      const metrics = { ...there.metrics, likes: 3 };
      await expectPost({ ...there, text: 'First', metrics, publishedAt: NOW + 5, version: 3, updatedAt: LATER });
    });

    test('handles a thousand posts of many profiles, some existing and some new', async () => {
      const { id } = await addWorkspace(stores.one);
      const profiles: Profile[] = [];
      for (let count = 0; count < 7; count += 1) profiles.push(await addProfile(stores.one, id));
      const said = Array.from({ length: 1000 }, (_, index) =>
        sampleDetails(profiles[index % 7] as Profile, { publishedAt: NOW - index * 3_600_000, text: `${index}` }),
      );
      const half = said.filter((_, index) => index % 2 === 0);
      expect(await stores.one.posts.upsert(half, NOW)).toEqual(half.map(() => 'created'));
      const again = said.map((details) => ({ ...details, id: newId(), metrics: { likes: 1 } }));
      const outcomes = again.map((_, index) => (index % 2 === 0 ? 'updated' : 'created'));
      expect(await stores.two.posts.upsert(again, LATER)).toEqual(outcomes);
      const { items, total } = await stores.one.posts.list(id, {}, { offset: 0, limit: 1000 });
      expect(total).toBe(1000);
      expect(items.map(({ text, metrics }) => [text, metrics.likes])).toEqual(
        said.map(({ text }) => [text, 1]) as never,
      );
    });

    test('keeps nothing if it throws', async () => {
      const profile = await addProfile(stores.one);
      const there = await addPost(stores.one, profile, { externalId: 'there' });
      const good = [
        sampleDetails(profile, { externalId: 'new' }),
        sampleDetails(profile, { externalId: 'there', text: 'Changed' }),
      ];
      for (const bad of [sampleDetails(profile, { profileId: newId() }), sampleDetails(profile, { id: there.id })]) {
        expect(await outcomeOf(stores.one.posts.upsert([...good, bad], LATER))).toThrow();
        expect(await stores.two.posts.findExternal(profile.id, 'new')).toBeNull();
        await expectPost(there);
      }
    });
  });
}
