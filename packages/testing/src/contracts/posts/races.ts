import { describe, expect, test } from 'bun:test';
import type { PostConflict, UpsertOutcome } from '@postshelf/domain';
import { ROUNDS, race } from '../race.ts';
import { NOW, sampleImage } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addPost, addProfile, sampleDetails, samplePost } from './samples.ts';

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
const NO_MEDIA = { conflict: 'media' as const, refusals: new Map([[0, 'unknown' as const]]) };

export function describePostRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    test('of two posts with one external id exactly one is kept', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const posts = [0, 1].map(() => samplePost(profile, { externalId: `${round}` }));
        const [first, second] = posts.map((post) => (of: Stores) => of.posts.insert(post));
        if (!first || !second) throw new Error('There are two posts');
        const answers = await race<PostConflict | null>(stores, round, first, second);
        expect(answers.filter((answer) => answer === null)).toHaveLength(1);
        expect(answers.filter((answer) => answer?.conflict === 'external_id_taken')).toHaveLength(1);
        const winner = posts[answers.indexOf(null)];
        expect(await stores.two.posts.findExternal(profile.id, `${round}`)).toEqual(winner ?? null);
      }
      expect((await stores.one.posts.list(profile.workspaceId, {}, { offset: 0, limit: 1 })).total).toBe(ROUNDS);
    });

    test('of two puts of one post one makes it and the other brings it up to date', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const put = (likes: number) => (of: Stores) =>
          of.posts.upsert([sampleDetails(profile, { externalId: `${round}`, metrics: { likes } })], NOW);
        const answers = await race<readonly UpsertOutcome[]>(stores, round, put(1), put(2));
        expect(answers.flat().toSorted()).toEqual(['created', 'updated'] as never);
        const likes = (await stores.two.posts.findExternal(profile.id, `${round}`))?.metrics.likes;
        expect(likes).toBe(answers[0][0] === 'updated' ? 1 : 2);
      }
    });

    test('media is removed, or a new post shows it: never both', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const item = sampleImage(profile.workspaceId);
        await stores.one.media.insert([item]);
        const post = samplePost(profile, { mediaIds: [item.id] });
        const [removed, inserted] = await race<unknown>(
          stores,
          round,
          ({ media }) => media.remove(item.id),
          ({ posts }) => posts.insert(post),
        );
        const isGone = removed !== 'in_use';
        expect([removed, inserted]).toEqual(isGone ? [[item.fullName], NO_MEDIA] : ['in_use', null]);
        expect(await stores.two.posts.find(post.id)).toEqual(isGone ? null : post);
        expect((await stores.two.media.find(item.id)) === null).toBe(isGone);
      }
    });

    test('media is removed, or a post is changed to show it: never both', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const item = sampleImage(profile.workspaceId);
        await stores.one.media.insert([item]);
        const post = await addPost(stores.one, profile, { externalId: `${round}` });
        const details = sampleDetails(profile, { externalId: `${round}`, mediaIds: [item.id] });
        const [removed, put] = await race<unknown>(
          stores,
          round,
          ({ media }) => media.remove(item.id),
          ({ posts }) => posts.upsert([details], NOW),
        );
        const isGone = removed !== 'in_use';
        expect([removed, put]).toEqual(isGone ? [[item.fullName], [NO_MEDIA]] : ['in_use', ['updated']]);
        const shown = (await stores.two.posts.find(post.id))?.mediaIds;
        expect(shown).toEqual(isGone ? [] : [item.id]);
      }
    });

    test('two updates of different metrics are both done', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const post = await addPost(stores.one, profile);
        await race(
          stores,
          round,
          ({ posts }) => posts.updateMetrics(post.id, { likes: 1001 }, NOW + 1),
          ({ posts }) => posts.updateMetrics(post.id, { clicks: 1002 }, NOW + 1),
        );
        const metrics = { ...post.metrics, likes: 1001, clicks: 1002 };
        expect(await stores.two.posts.find(post.id)).toEqual({ ...post, metrics, updatedAt: NOW + 1 });
      }
    });

    test('of two removals one hears true', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const post = await addPost(stores.one, profile);
        const remove = ({ posts }: Stores) => posts.remove(post.id);
        expect((await race(stores, round, remove, remove)).toSorted()).toEqual([false, true]);
      }
    });

    test('a post that is removed stays so, whoever updates it', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const post = await addPost(stores.one, profile);
        const [removed, updated] = await race<unknown>(
          stores,
          round,
          ({ posts }) => posts.remove(post.id),
          ({ posts }) => posts.updateMetrics(post.id, { likes: 1 }, NOW + 1),
        );
        expect(removed).toBe(true);
        const after = { ...post, metrics: { ...post.metrics, likes: 1 }, updatedAt: NOW + 1 };
        expect([null, after]).toContainEqual(updated as never);
        expect(await stores.two.posts.find(post.id)).toBeNull();
      }
    });
  });
}
