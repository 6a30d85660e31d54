import { describe, expect, test } from 'bun:test';
import {
  engagementOf,
  FIRST_PUBLISHED,
  LAST_PUBLISHED,
  MAX_METRIC,
  NO_METRICS,
  type Post,
  type PostMetrics,
  QUARTER,
  quarterOf,
  type TimeWindow,
} from '@postshelf/domain';
import { addPost, addProfile, sampleDetails } from '../posts/samples.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeEngagementModel } from './model.ts';
import { describeEngagementRaces } from './races.ts';
import { readRows, rowsOf } from './rows.ts';

const DAY = 96 * QUARTER;
const EVER: TimeWindow = { from: FIRST_PUBLISHED, to: LAST_PUBLISHED };
/** The start of a quarter of an hour. */
const START = quarterOf(NOW) * QUARTER;

const likes = (count: number): PostMetrics => ({ ...NO_METRICS, likes: count });

/** What every {@link BestTimesRepository} does. */
export function describeBestTimesRepository(name: string, open: OpenStores): void {
  describe(`${name}: best times`, () => {
    describeReading(open);
    describeFollowing(open);
    describeEngagementModel(open);
    describeEngagementRaces(open);
  });
}

function describeReading(open: OpenStores): void {
  describe('reading', () => {
    const stores = storesOfEachTest(open);

    test('quarters that have posts, with the sum of their engagement', async () => {
      const profile = await addProfile(stores.one);
      const metrics = { impressions: 1000, likes: 1, comments: 10, shares: 100, saves: 1000, clicks: 10_000 };
      await addPost(stores.one, profile, { publishedAt: START, metrics });
      await addPost(stores.one, profile, { publishedAt: START + QUARTER - 1, metrics: likes(5) });
      await addPost(stores.one, profile, { publishedAt: START + QUARTER, metrics: NO_METRICS });
      const rows = [
        [START, 2, 1116],
        [START + QUARTER, 1, 0],
      ];
      const scopes = [{ profileId: profile.id }, { workspaceId: profile.workspaceId }];
      for (const scope of scopes) expect(await readRows(stores.two.bestTimes, scope, EVER)).toEqual([rows] as never);
    });

    test('never asks about quarters that the window cuts', async () => {
      const profile = await addProfile(stores.one);
      for (const at of [0, QUARTER, 2 * QUARTER]) await addPost(stores.one, profile, { publishedAt: START + at });
      const asked: number[] = [];
      const window = { from: START + 1, to: START + 2 * QUARTER };
      await readRows(stores.one.bestTimes, { profileId: profile.id }, window, (quarter) => asked.push(quarter) > 0);
      expect(asked).toEqual([quarterOf(START) + 1]);
    });

    test('every profile of the workspace by itself, none of another, and none without posts in the window', async () => {
      const { id: workspaceId } = await addWorkspace(stores.one);
      const posts: Post[] = [];
      for (let count = 0; count < 25; count += 1) {
        const profile = await addProfile(stores.one, workspaceId);
        const publishedAt = START + (count % 5 === 4 ? -DAY : count * QUARTER);
        posts.push(await addPost(stores.one, profile, { publishedAt, metrics: likes(count) }));
      }
      await addProfile(stores.one, workspaceId);
      const theirs = await addPost(stores.one, await addProfile(stores.one));
      const window = { from: START, to: START + DAY };
      const answer = await readRows(stores.two.bestTimes, { workspaceId }, window);
      expect(answer).toHaveLength(20);
      expect(answer).toEqual([...rowsOf(posts, window)]);
      const scope = { workspaceId: theirs.workspaceId };
      expect(await readRows(stores.two.bestTimes, scope, EVER)).toEqual([...rowsOf([theirs], EVER)]);
    });

    test('nothing of what has no posts or is not there', async () => {
      const profile = await addProfile(stores.one);
      for (const scope of [
        { profileId: profile.id },
        { workspaceId: profile.workspaceId },
        { profileId: newId() },
        { workspaceId: newId() },
      ]) {
        expect(await readRows(stores.one.bestTimes, scope, EVER)).toEqual([]);
      }
    });

    test('of windows from before the epoch to the end of time', async () => {
      const profile = await addProfile(stores.one);
      const most = MAX_METRIC;
      const metrics = { impressions: most, likes: most, comments: most, shares: most, saves: most, clicks: most };
      const posts = [
        await addPost(stores.one, profile, { publishedAt: FIRST_PUBLISHED, metrics }),
        await addPost(stores.one, profile, { publishedAt: FIRST_PUBLISHED, metrics }),
        await addPost(stores.one, profile, { publishedAt: LAST_PUBLISHED, metrics }),
      ];
      for (const window of [EVER, { from: -62_167_219_200_000, to: LAST_PUBLISHED + DAY }, { from: -DAY, to: 0 }]) {
        const answer = await readRows(stores.one.bestTimes, { profileId: profile.id }, window);
        expect(answer).toEqual([...rowsOf(posts, window)]);
      }
      expect(await readRows(stores.one.bestTimes, { profileId: profile.id }, { from: -DAY, to: -1 })).toEqual([]);
    });

    test('of more days, and of more posts in them, than are read at once', async () => {
      const profile = await addProfile(stores.one);
      const said = Array.from({ length: 3000 }, (_, index) => {
        const publishedAt = index < 2500 ? START + Math.floor(index / 4) : START + (index - 2500) * 2 * DAY;
        return sampleDetails(profile, { publishedAt, metrics: { likes: index } });
      });
      for (const start of [0, 1000, 2000]) await stores.one.posts.upsert(said.slice(start, start + 1000), NOW);
      const posts: Post[] = [];
      for (const offset of [0, 1000, 2000]) {
        const slice = { offset, limit: 1000 };
        posts.push(...(await stores.two.posts.list(profile.workspaceId, {}, slice)).items);
      }
      for (const isWhole of [() => true, () => false]) {
        const answer = await readRows(stores.two.bestTimes, { profileId: profile.id }, EVER, isWhole);
        expect(answer).toEqual([...rowsOf(posts, EVER, isWhole)]);
      }
    });

    test('leaves the database free for others where the reader fails or stops early', async () => {
      const profile = await addProfile(stores.one);
      const post = await addPost(stores.one, profile);
      const trouble = new Error('The reader has had enough');
      const fails = (): boolean => {
        throw trouble;
      };
      for (const scope of [{ profileId: profile.id }, { workspaceId: profile.workspaceId }]) {
        await expect(readRows(stores.one.bestTimes, scope, EVER, fails)).rejects.toBe(trouble);
        for await (const page of stores.one.bestTimes.read(scope, EVER, () => true)) {
          expect(page.profileId).toBe(profile.id);
          break;
        }
        expect(await readRows(stores.one.bestTimes, scope, EVER)).toEqual(rowsOf([post], EVER));
      }
    });
  });
}

function describeFollowing(open: OpenStores): void {
  describe('following the posts', () => {
    const stores = storesOfEachTest(open);

    test('is not led astray by posts that were not kept', async () => {
      const profile = await addProfile(stores.one);
      const post = await addPost(stores.one, profile, { externalId: 'post' });
      const details = sampleDetails(profile, { mediaIds: [newId()] });
      await stores.one.posts.upsert([details, sampleDetails(profile, { externalId: 'post' })], NOW);
      await stores.one.posts.insert({ ...post, id: newId() });
      await stores.one.posts.updateMetrics(newId(), { likes: 1 }, NOW);
      await stores.one.posts.remove(newId());
      const bad = sampleDetails(profile, { id: post.id });
      await expect(stores.one.posts.upsert([sampleDetails(profile), bad], NOW)).rejects.toThrow();
      const answer = await readRows(stores.two.bestTimes, { profileId: profile.id }, EVER);
      expect(answer).toEqual([...rowsOf([post], EVER)]);
    });

    test('a rebuild finds nothing to correct, counts all posts of all workspaces and says how far it is', async () => {
      const { id } = await addWorkspace(stores.one);
      const profiles = [
        await addProfile(stores.one, id),
        await addProfile(stores.one, id),
        await addProfile(stores.one),
      ];
      const [first, second] = profiles;
      for (const days of [0, 1, 89, 90, 91, 4000]) {
        for (const profile of [first, second]) {
          if (profile) await addPost(stores.one, profile, { publishedAt: NOW + days * DAY });
        }
      }
      const before = await readRows(stores.one.bestTimes, { workspaceId: id }, EVER);
      const heard: number[] = [];
      const recount = await stores.two.bestTimes.rebuild((done) => heard.push(done));
      expect(recount).toEqual({ profiles: 3, posts: 12, corrected: 0 });
      expect(heard).toEqual([1, 2, 3]);
      expect(await readRows(stores.one.bestTimes, { workspaceId: id }, EVER)).toEqual([...before]);
      expect(before.flat().reduce((sum, [, , engagement]) => sum + engagement, 0)).toBe(
        12 * engagementOf({ impressions: 600, likes: 50, comments: 4, shares: 3, saves: 2, clicks: 1 }),
      );
    });
  });
}
