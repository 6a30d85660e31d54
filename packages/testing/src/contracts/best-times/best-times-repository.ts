import { describe, expect, test } from 'bun:test';
import {
  type BestTimesScope,
  emptyScores,
  engagementOf,
  estimate,
  localHours,
  MAX_LEARNT_POSTS,
  MAX_METRIC,
  NO_METRICS,
  type Post,
  type PostMetrics,
  type Profile,
  QUARTER,
  quarterOf,
  Refusal,
  type TimeWindow,
} from '@postshelf/domain';
import { addPost, addProfile, sampleDetails } from '../posts/samples.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeEngagementModel } from './model.ts';
import { describeEngagementRaces } from './races.ts';
import { expectedScores, readScores } from './scores.ts';

const DAY = 96 * QUARTER;
/** The whole range of times that the schema can store and RFC 3339 can express. */
const EVER: TimeWindow = { from: 0, to: Date.UTC(9999, 11, 31, 23, 59, 59, 999) };
/** The first hour of a week, in UTC. */
const SUNDAY = Date.UTC(2026, 1, 1);
/** The start of a quarter of an hour. */
const START = quarterOf(NOW) * QUARTER;

const sum = (week: Float64Array): number => week.reduce((total, value) => total + value, 0);

const likes = (count: number): PostMetrics => ({ ...NO_METRICS, likes: count });

/** The contract of {@link BestTimesRepository}. */
export function describeBestTimesRepository(name: string, open: OpenStores): void {
  describe(`${name}: best times`, () => {
    describeReading(open);
    describeFollowing(open);
    describeEngagementModel(open);
    describeEngagementRaces(open);
  });
}

/** The scope of one profile, and that of its whole workspace. */
const scopesOf = ({ id, workspaceId }: Profile): [BestTimesScope, BestTimesScope] => [
  { workspaceId, profileId: id },
  { workspaceId, profileId: null },
];

function describeReading(open: OpenStores): void {
  describe('reading', () => {
    const stores = storesOfEachTest(open);

    test('the hours that have posts, with their scores', async () => {
      const profile = await addProfile(stores.one);
      const metrics = { impressions: 1000, likes: 1, comments: 10, shares: 100, saves: 1000, clicks: 10_000 };
      await addPost(stores.one, profile, { publishedAt: SUNDAY, metrics });
      await addPost(stores.one, profile, { publishedAt: SUNDAY + QUARTER, metrics: likes(5) });
      const unnoticed = { publishedAt: SUNDAY + 4 * QUARTER, metrics: NO_METRICS };
      await addPost(stores.one, profile, { ...unnoticed, createdAt: unnoticed.publishedAt });
      await addPost(stores.one, profile, unnoticed);
      const mean = 1116 / 3;
      for (const scope of scopesOf(profile)) {
        const { posts, relative } = await readScores(stores.two.bestTimes, scope, EVER);
        expect([posts.length, posts[0], posts[1], posts[2]]).toEqual([168, 2, 1, 0]);
        expect([relative.length, relative[0], relative[1], relative[2]]).toEqual([168, 1116 / mean, 0, 0]);
      }
    });

    test('in local time of any zone, also in quarters in which its clocks change', async () => {
      const profile = await addProfile(stores.one);
      const posts: Post[] = [];
      // At 00:01 on 7 November 2010 Newfoundland went back to 23:01; Liberia was 44 and a half minutes behind until 1972.
      for (const published of ['2010-11-07T02:30:59.999Z', '2010-11-07T02:31:00Z', '1971-06-01T00:44:29Z'])
        posts.push(await addPost(stores.one, profile, { publishedAt: Date.parse(published) }));
      for (const zone of ['America/St_Johns', 'Africa/Monrovia', 'Asia/Kathmandu', 'UTC']) {
        for (const scope of scopesOf(profile)) {
          expect(await readScores(stores.two.bestTimes, scope, EVER, zone)).toEqual(expectedScores(posts, EVER, zone));
        }
      }
    });

    test('every profile of the workspace against its own mean, and none of another workspace', async () => {
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
      const answer = await readScores(stores.two.bestTimes, { workspaceId, profileId: null }, window);
      expect(answer).toEqual(expectedScores(posts, window));
      expect(sum(answer.posts)).toBe(20);
      const scope = { workspaceId: theirs.workspaceId, profileId: null };
      expect(await readScores(stores.two.bestTimes, scope, EVER)).toEqual(expectedScores([theirs], EVER));
    });

    test('nothing for profiles without posts and unknown ones', async () => {
      const profile = await addProfile(stores.one);
      for (const scope of [
        ...scopesOf(profile),
        { workspaceId: profile.workspaceId, profileId: newId() },
        { workspaceId: newId(), profileId: null },
      ]) {
        expect(await readScores(stores.one.bestTimes, scope, EVER)).toEqual(emptyScores());
      }
    });

    test('of windows from before the epoch to the end of time', async () => {
      const profile = await addProfile(stores.one);
      const most = MAX_METRIC;
      const metrics = { impressions: most, likes: most, comments: most, shares: most, saves: most, clicks: most };
      const posts = [
        await addPost(stores.one, profile, { publishedAt: EVER.from, metrics }),
        await addPost(stores.one, profile, { publishedAt: EVER.from, metrics }),
        await addPost(stores.one, profile, { publishedAt: EVER.to, metrics }),
      ];
      const [scope] = scopesOf(profile);
      for (const window of [EVER, { from: -62_167_219_200_000, to: EVER.to + DAY }, { from: -DAY, to: 0 }]) {
        expect(await readScores(stores.one.bestTimes, scope, window)).toEqual(expectedScores(posts, window));
      }
      expect(await readScores(stores.one.bestTimes, scope, { from: -DAY, to: -1 })).toEqual(emptyScores());
    });

    test('of more days, and more posts in them, than are read in one query', async () => {
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
      const [scope] = scopesOf(profile);
      // A window that cuts the quarter that contains most of them.
      for (const window of [EVER, { from: START + 1, to: EVER.to }]) {
        expect(await readScores(stores.two.bestTimes, scope, window)).toEqual(expectedScores(posts, window));
      }
    });

    test('an estimate from the newest posts of the scope, and when its posts are published', async () => {
      const profile = await addProfile(stores.one);
      const said = Array.from({ length: MAX_LEARNT_POSTS + 1 }, (_, index) =>
        sampleDetails(profile, { publishedAt: START + index, metrics: { likes: index % 7 } }),
      );
      for (const start of [0, 1000, 2000]) await stores.one.posts.upsert(said.slice(start, start + 1000), NOW);
      await addPost(stores.one, await addProfile(stores.one), { publishedAt: START });
      const measured = said.slice(1).map(({ metrics }, index) => {
        return {
          profileId: profile.id,
          at: START + 1 + index,
          engagement: engagementOf({ ...NO_METRICS, ...metrics }),
        };
      });
      for (const scope of scopesOf(profile)) {
        const found = await stores.two.bestTimes.estimate(scope, EVER, 'Asia/Kathmandu');
        expect(found).toEqual(estimate(measured.reverse(), localHours('Asia/Kathmandu')));
        measured.reverse();
        const window = { from: START + 5, to: START + 7 };
        expect(await stores.two.bestTimes.published(scope, window)).toEqual([START + 5, START + 7]);
      }
    });

    test('stops when its signal is aborted, and does not block the database for others', async () => {
      const profile = await addProfile(stores.one);
      const post = await addPost(stores.one, profile);
      for (const scope of scopesOf(profile)) {
        const controller = new AbortController();
        const given = stores.one.bestTimes.scores(scope, EVER, 'UTC', controller.signal);
        controller.abort();
        await expect(given).rejects.toBeInstanceOf(Refusal);
        const gone = stores.one.bestTimes.scores(scope, EVER, 'UTC', AbortSignal.abort());
        await expect(gone).rejects.toBeInstanceOf(Refusal);
        expect(await readScores(stores.one.bestTimes, scope, EVER)).toEqual(expectedScores([post], EVER));
      }
    });
  });
}

function describeFollowing(open: OpenStores): void {
  describe('following the posts', () => {
    const stores = storesOfEachTest(open);

    test('is not affected by posts that were refused', async () => {
      const profile = await addProfile(stores.one);
      const post = await addPost(stores.one, profile, { externalId: 'post' });
      const details = sampleDetails(profile, { mediaIds: [newId()] });
      await stores.one.posts.upsert([details, sampleDetails(profile, { externalId: 'post' })], NOW);
      await stores.one.posts.insert({ ...post, id: newId() });
      await stores.one.posts.update(newId(), { metrics: { likes: 1 } }, NOW);
      await stores.one.posts.remove(newId());
      const bad = sampleDetails(profile, { id: post.id });
      await expect(stores.one.posts.upsert([sampleDetails(profile), bad], NOW)).rejects.toThrow();
      const [scope] = scopesOf(profile);
      expect(await readScores(stores.two.bestTimes, scope, EVER)).toEqual(expectedScores([post], EVER));
    });

    test('a rebuild finds nothing to correct, counts all posts of all workspaces and reports its progress', async () => {
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
      const before = await readScores(stores.one.bestTimes, { workspaceId: id, profileId: null }, EVER);
      const heard: number[] = [];
      const recount = await stores.two.bestTimes.rebuild((done) => heard.push(done));
      expect(recount).toEqual({ profiles: 3, posts: 12, corrected: 0 });
      expect(heard).toEqual([1, 2, 3]);
      expect(await readScores(stores.one.bestTimes, { workspaceId: id, profileId: null }, EVER)).toEqual(before);
      expect(sum(before.posts)).toBe(12);
    });
  });
}
