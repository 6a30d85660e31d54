import { describe, expect, test } from 'bun:test';
import {
  type BestTimesScope,
  emptyScores,
  type Lesson,
  MAX_LEARNT_POSTS,
  MAX_METRIC,
  NO_METRICS,
  type Post,
  type PostMetrics,
  type Profile,
  Refusal,
  type TimeWindow,
} from '@postshelf/domain';
import { outcomeOf, thrownBy } from '../../outcomes.ts';
import { addPost, addProfile, sampleDetails } from '../posts/samples.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeEngagementModel } from './model.ts';
import { describeEngagementRaces } from './races.ts';
import { expectedEstimate, expectedScores, readScores } from './scores.ts';

const QUARTER = 15 * 60 * 1000;
const DAY = 96 * QUARTER;
const EVER: TimeWindow = { from: 0, to: Date.UTC(2100, 0, 1) };
/** The first hour of a week, in UTC. */
const SUNDAY = Date.UTC(2026, 1, 1);
/** The start of a quarter of an hour. */
const START = Math.floor(NOW / QUARTER) * QUARTER;

const sum = (week: Float64Array): number => week.reduce((total, value) => total + value, 0);

const lessonOf = (window: TimeWindow, some: Partial<Lesson> = {}): Lesson => ({
  window,
  until: window.to,
  max: MAX_LEARNT_POSTS,
  zone: 'UTC',
  excluded: [],
  ...some,
});

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

/** Returns the scope of one profile, and the scope of its whole workspace. */
const scopesOf = ({ id, workspaceId }: Profile): [BestTimesScope, BestTimesScope] => [
  { workspaceId, profileId: id },
  { workspaceId, profileId: null },
];

function describeReading(open: OpenStores): void {
  describe('reading', () => {
    const stores = storesOfEachTest(open);

    test('returns the hours that have posts, with their scores', async () => {
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

    test('uses the local time of any zone, even in quarters in which its clocks change', async () => {
      const profile = await addProfile(stores.one);
      const posts: Post[] = [];
      // At 00:01 on 7 November 2010, Newfoundland set its clocks back to 23:01. Until 1972, Liberia was 44 and a half
      // minutes behind UTC.
      for (const published of ['2010-11-07T02:30:59.999Z', '2010-11-07T02:31:00Z', '1971-06-01T00:44:29Z'])
        posts.push(await addPost(stores.one, profile, { publishedAt: Date.parse(published) }));
      for (const zone of ['America/St_Johns', 'Africa/Monrovia', 'Asia/Kathmandu', 'UTC']) {
        for (const scope of scopesOf(profile)) {
          expect(await readScores(stores.two.bestTimes, scope, EVER, zone)).toEqual(expectedScores(posts, EVER, zone));
        }
      }
    });

    test('compares every profile of the workspace with its own mean, and none of another workspace', async () => {
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

    test('returns nothing for profiles without posts and unknown ones', async () => {
      const profile = await addProfile(stores.one);
      for (const scope of [
        ...scopesOf(profile),
        { workspaceId: profile.workspaceId, profileId: newId() },
        { workspaceId: newId(), profileId: null },
      ]) {
        expect(await readScores(stores.one.bestTimes, scope, EVER)).toEqual(emptyScores());
      }
    });

    test('supports windows from before the epoch to the end of time', async () => {
      const profile = await addProfile(stores.one);
      const max = MAX_METRIC;
      const metrics = { impressions: max, likes: max, comments: max, shares: max, saves: max, clicks: max };
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

    test('covers more days, and more posts in them, than are read in one query', async () => {
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
      // The second window begins within the quarter hour that contains most of the posts.
      for (const window of [EVER, { from: START + 1, to: EVER.to }]) {
        expect(await readScores(stores.two.bestTimes, scope, window)).toEqual(expectedScores(posts, window));
      }
    });

    test('estimates from all counted posts of the scope, in its time zone', async () => {
      const profile = await addProfile(stores.one);
      const other = await addProfile(stores.one, profile.workspaceId);
      const said = Array.from({ length: 1000 }, (_, index) =>
        sampleDetails(index % 3 === 0 ? other : profile, {
          publishedAt: NOW - 400 * DAY + index * 7 * QUARTER,
          metrics: { likes: (index * index) % 91 },
        }),
      );
      await stores.one.posts.upsert(said, NOW);
      await addPost(stores.one, await addProfile(stores.one), { publishedAt: START });
      // This post was planned, but never measured.
      await addPost(stores.one, profile, { publishedAt: START - 1, createdAt: START - 2, metrics: NO_METRICS });
      const posts = (await stores.two.posts.list(profile.workspaceId, {}, { offset: 0, limit: 2000 })).items;
      for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York']) {
        const window = { from: NOW - 390 * DAY, to: NOW - 330 * DAY };
        for (const [scope, own] of [
          [{ workspaceId: profile.workspaceId, profileId: null }, posts],
          [
            { workspaceId: profile.workspaceId, profileId: profile.id },
            posts.filter((post) => post.profileId === profile.id),
          ],
        ] as const) {
          const found = await stores.two.bestTimes.estimate(scope, lessonOf(window, { zone }));
          expect(found.posts).toBeGreaterThan(100);
          expect(found).toEqual(expectedEstimate(own, window, zone));
        }
      }
    });

    test('estimates without young posts and those beyond the newest ones, and counts both', async () => {
      const profile = await addProfile(stores.one);
      const said = Array.from({ length: 60 }, (_, index) =>
        sampleDetails(profile, { publishedAt: START + index, metrics: { likes: index } }),
      );
      await stores.one.posts.upsert(said, NOW);
      const posts = (await stores.two.posts.list(profile.workspaceId, {}, { offset: 0, limit: 100 })).items;
      const lesson = lessonOf(EVER, { until: START + 49, max: 20 });
      for (const scope of scopesOf(profile)) {
        const expected = expectedEstimate(posts, { from: START + 30, to: START + 49 });
        expect(await stores.two.bestTimes.estimate(scope, lesson)).toEqual({ ...expected, posts: 20, leftOut: 40 });
        const young = { ...lesson, window: { from: START + 50, to: EVER.to } };
        expect(await stores.two.bestTimes.estimate(scope, young)).toMatchObject({ posts: 0, leftOut: 10 });
      }
    });

    test('counts omitted posts, even if some are as old as the oldest post in use', async () => {
      const profile = await addProfile(stores.one);
      const said = Array.from({ length: 60 }, (_, index) =>
        sampleDetails(profile, { publishedAt: START + Math.floor(index / 8), metrics: { likes: index } }),
      );
      await stores.one.posts.upsert(said, NOW);
      for (const max of [19, 20, 21, 59, 60, 61]) {
        const found = await stores.two.bestTimes.estimate(scopesOf(profile)[0], lessonOf(EVER, { max }));
        expect(found).toMatchObject({ posts: Math.min(max, 60), leftOut: Math.max(0, 60 - max) });
      }
    });

    test('finds no evidence in excluded hours', async () => {
      const profile = await addProfile(stores.one);
      const said = Array.from({ length: 700 }, (_, index) => {
        const publishedAt = SUNDAY + Math.floor(index / 10) * DAY + (index % 10) * 8 * QUARTER;
        return sampleDetails(profile, { publishedAt, metrics: { likes: index % 10 === 3 ? 90 : 30 + (index % 7) } });
      });
      await stores.one.posts.upsert(said, NOW);
      const [scope] = scopesOf(profile);
      expect(await stores.two.bestTimes.estimate(scope, lessonOf(EVER))).toMatchObject({ evidence: 'strong' });
      const excluded = Array.from({ length: 168 }, (_, hour) => hour).filter((hour) => hour % 24 === 6);
      expect(await stores.two.bestTimes.estimate(scope, lessonOf(EVER, { excluded }))).toMatchObject({
        evidence: 'none',
      });
    });

    test('returns the publication times of posts of the scope, including planned ones', async () => {
      const profile = await addProfile(stores.one);
      for (const after of [4, 5, 6, 7, 8]) await addPost(stores.one, profile, { publishedAt: START + after });
      await addPost(stores.one, await addProfile(stores.one), { publishedAt: START + 6 });
      for (const scope of scopesOf(profile)) {
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
        expect(await thrownBy(given)).toBeInstanceOf(Refusal);
        const { signal } = controller;
        expect(await thrownBy(stores.one.bestTimes.scores(scope, EVER, 'UTC', signal))).toBeInstanceOf(Refusal);
        expect(await thrownBy(stores.one.bestTimes.estimate(scope, lessonOf(EVER), signal))).toBeInstanceOf(Refusal);
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
      await stores.one.posts.delete(newId());
      const bad = sampleDetails(profile, { id: post.id });
      expect(await outcomeOf(stores.one.posts.upsert([sampleDetails(profile), bad], NOW))).toThrow();
      const [scope] = scopesOf(profile);
      expect(await readScores(stores.two.bestTimes, scope, EVER)).toEqual(expectedScores([post], EVER));
    });
  });
}
