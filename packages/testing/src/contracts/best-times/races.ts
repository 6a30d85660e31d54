import { describe, expect, test } from 'bun:test';
import { type Post, type Profile, QUARTER, quarterOf } from '@postshelf/domain';
import { addPost, addProfile, sampleDetails, samplePost } from '../posts/samples.ts';
import { ROUNDS, race } from '../race.ts';
import { NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { told, toTell } from './told.ts';

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
const EVER = { from: 0, to: 2 * NOW };
const START = quarterOf(NOW) * QUARTER;

/** Changes of posts that share a quarter, where one could be lost. */
export function describeEngagementRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    const expectTrue = async (profile: Profile): Promise<void> => {
      const { items } = await stores.one.posts.list(profile.workspaceId, {}, { offset: 0, limit: 1000 });
      const { id: profileId, workspaceId } = profile;
      const answer = await told(stores.two.bestTimes, { workspaceId, profileId }, EVER);
      expect(answer).toEqual(toTell(items, EVER));
      expect((await stores.one.bestTimes.rebuild()).corrected).toBe(0);
    };

    const twoPosts = async (profile: Profile): Promise<[Post, Post]> => [
      await addPost(stores.one, profile, { publishedAt: START }),
      await addPost(stores.one, profile, { publishedAt: START }),
    ];

    test('no update of metrics is lost, of one post or of two in one quarter', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const [first, second] = await twoPosts(profile);
        await race(
          stores,
          round,
          ({ posts }) => posts.updateMetrics(first.id, { likes: 1000 + round }, NOW),
          ({ posts }) => posts.updateMetrics(second.id, { likes: 2000 + round }, NOW),
        );
        await race(
          stores,
          round,
          ({ posts }) => posts.updateMetrics(first.id, { saves: 7 }, NOW),
          ({ posts }) => posts.updateMetrics(first.id, { saves: 8, shares: 9 }, NOW),
        );
        await expectTrue(profile);
      }
    });

    test('no new post is lost, nor one that goes', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const [first, second] = await twoPosts(profile);
        const put = ({ posts }: Stores) =>
          posts.upsert([sampleDetails(profile, { publishedAt: START + 1, metrics: { likes: round } })], NOW);
        await race<unknown>(stores, round, put, ({ posts }) =>
          posts.insert(samplePost(profile, { publishedAt: START })),
        );
        await race<unknown>(stores, round, put, ({ posts }) => posts.remove(first.id));
        await race<unknown>(
          stores,
          round,
          ({ posts }) => posts.updateMetrics(second.id, { likes: 1 }, NOW),
          ({ posts }) => posts.remove(second.id),
        );
        await expectTrue(profile);
      }
    });

    test('a rebuild goes on while posts come and go, and corrects nothing that is right', async () => {
      const profile = await addProfile(stores.one);
      for (const round of rounds) {
        const [first, second] = await twoPosts(profile);
        const [{ corrected }] = await Promise.all([
          stores.two.bestTimes.rebuild(),
          stores.one.posts.updateMetrics(first.id, { likes: round }, NOW),
          stores.one.posts.remove(second.id),
          stores.two.posts.insert(samplePost(profile, { publishedAt: START })),
        ]);
        expect(corrected).toBe(0);
        await expectTrue(profile);
      }
    });
  });
}
