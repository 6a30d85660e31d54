import { describe, expect } from 'bun:test';
import type { Profile } from '@postshelf/domain';
import { addPost, addProfile, sampleDetails, samplePost } from '../posts/samples.ts';
import { testRace } from '../race.ts';
import { NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { expectedScores, readScores } from './scores.ts';

const EVER = { from: 0, to: 2 * NOW };
const START = NOW;

/** Checks that no concurrent change of posts in the same quarter hour is lost. */
export function describeEngagementRaces(open: OpenStores): void {
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    /** Adds a profile with two posts in one quarter hour. */
    const twoPosts = async () => {
      const profile = await addProfile(stores.one);
      const add = () => addPost(stores.one, profile, { publishedAt: START });
      return { profile, first: await add(), second: await add() };
    };

    const expectTrue = async (profile: Profile): Promise<void> => {
      const { items } = await stores.one.posts.list(profile.workspaceId, {}, { offset: 0, limit: 1000 });
      const { id: profileId, workspaceId } = profile;
      const answer = await readScores(stores.two.bestTimes, { workspaceId, profileId }, EVER);
      expect(answer).toEqual(expectedScores(items, EVER));
    };

    testRace(stores, 'lose no update of metrics of one post, or of two in one quarter of an hour', async (race) => {
      const { profile, first, second } = await twoPosts();
      await race(
        ({ posts }) => posts.update(first.id, { metrics: { likes: 1000 } }, NOW),
        ({ posts }) => posts.update(second.id, { metrics: { likes: 2000 } }, NOW),
      );
      await race(
        ({ posts }) => posts.update(first.id, { metrics: { saves: 7 } }, NOW),
        ({ posts }) => posts.update(first.id, { metrics: { saves: 8, shares: 9 } }, NOW),
      );
      await expectTrue(profile);
    });

    testRace(stores, 'lose neither new posts nor deletions', async (race) => {
      const { profile, first, second } = await twoPosts();
      const put = ({ posts }: Stores) =>
        posts.upsert([sampleDetails(profile, { publishedAt: START + 1, metrics: { likes: 3 } })], NOW);
      await race(put, ({ posts }) => posts.insert(samplePost(profile, { publishedAt: START })));
      await race(put, ({ posts }) => posts.delete(first.id));
      await race(
        ({ posts }) => posts.update(second.id, { metrics: { likes: 1 } }, NOW),
        ({ posts }) => posts.delete(second.id),
      );
      await expectTrue(profile);
    });
  });
}
