import { describe, expect, test } from 'bun:test';
import type { Post, PostDetails, PostMetrics, Profile, TimeWindow } from '@postshelf/domain';
import fc from 'fast-check';
import { addProfile, madeOf, sampleDetails } from '../posts/samples.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { expectedScores, readScores } from './scores.ts';

const RUNS = 10;
const QUARTER = 15 * 60 * 1000;

/** The first of three days. The posts are in a few quarter hours of these days, some of them exactly at a boundary. */
const FIRST_DAY = Date.UTC(2026, 2, 28);
const QUARTERS = 3 * 96;
/** Creation time of the posts. It is the start of the last day, whose posts are planned until they have metrics. */
const CREATED = FIRST_DAY + 2 * 96 * QUARTER;
const anyInstant = fc
  .record({
    quarter: fc.oneof(fc.constantFrom(0, 1, 2, 95, 96, 97, 191, 192, QUARTERS - 1), fc.nat({ max: QUARTERS - 1 })),
    within: fc.oneof(fc.constantFrom(0, 1, QUARTER - 1), fc.nat({ max: QUARTER - 1 })),
  })
  .map(({ quarter, within }) => FIRST_DAY + quarter * QUARTER + within);

const anyCount = fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 1_000_000 }));
const someMetrics: fc.Arbitrary<Partial<PostMetrics>> = fc.record(
  { impressions: anyCount, likes: anyCount, comments: anyCount, shares: anyCount, saves: anyCount, clicks: anyCount },
  { requiredKeys: [] },
);

const anyDetails = fc.record({
  profile: fc.constantFrom(0, 1),
  externalId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  publishedAt: anyInstant,
  metrics: someMetrics,
});

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: fc.array(anyDetails, { minLength: 1, maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ insert: anyDetails }) },
  { weight: 2, arbitrary: fc.record({ pick: fc.nat(), metrics: someMetrics }) },
  { weight: 2, arbitrary: fc.record({ pick: fc.nat(), publishedAt: anyInstant }) },
  { weight: 2, arbitrary: fc.record({ pick: fc.nat() }) },
);
type Value<Any> = Any extends fc.Arbitrary<infer Made> ? Made : never;
type Named = Value<typeof anyDetails>;
type Step = Value<typeof anyStep>;
type Profiles = readonly [Profile, Profile];

/**
 * Windows that begin or end within a quarter hour. In one of the time zones, the clocks change on the second day. In
 * another one, the offset from UTC wasn't a whole number of quarter hours until 1972.
 */
const anyQuestion = fc.record({
  ends: fc.tuple(anyInstant, anyInstant),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Africa/Monrovia'),
});

/** Compares what the repository returns, after arbitrary changes, with the result of counting all posts. */
export function describeEngagementModel(open: OpenStores): void {
  describe('after any sequence of changes', () => {
    const stores = storesOfEachTest(open);

    test('the scores equal a count of all posts in any window', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyStep, { minLength: 1, maxLength: 12 }),
          fc.array(anyQuestion, { minLength: 3, maxLength: 6 }),
          async (steps, questions) => {
            const { id: workspaceId } = await addWorkspace(stores.one);
            const profiles: Profiles = [
              await addProfile(stores.one, workspaceId),
              await addProfile(stores.one, workspaceId),
            ];
            for (const step of steps) await take(stores.one, profiles, step);
            const posts = await allPosts(stores.two, workspaceId);
            for (const { ends, zone } of questions) {
              const window: TimeWindow = { from: Math.min(...ends), to: Math.max(...ends) };
              const answer = await readScores(stores.two.bestTimes, { workspaceId, profileId: null }, window, zone);
              expect(answer).toEqual(expectedScores(posts, window, zone));
              for (const { id: profileId } of profiles) {
                const ofProfile = posts.filter((post) => post.profileId === profileId);
                const alone = await readScores(stores.one.bestTimes, { workspaceId, profileId }, window, zone);
                expect(alone).toEqual(expectedScores(ofProfile, window, zone));
              }
            }
          },
        ),
        { numRuns: RUNS },
      );
    });
  });
}

async function take(of: Stores, profiles: Profiles, step: Step): Promise<void> {
  const detailsOf = ({ profile, ...details }: Named): PostDetails => sampleDetails(profiles[profile], details);
  if ('put' in step) await of.posts.upsert(step.put.map(detailsOf), CREATED);
  else if ('insert' in step) await of.posts.insert(madeOf(detailsOf(step.insert), CREATED));
  else {
    const posts = await allPosts(of, profiles[0].workspaceId);
    const picked = posts[step.pick % Math.max(1, posts.length)];
    if (picked && 'metrics' in step) await of.posts.update(picked.id, { metrics: step.metrics }, NOW);
    else if (picked && 'publishedAt' in step) await of.posts.update(picked.id, step, NOW);
    else if (picked) await of.posts.delete(picked.id);
  }
}

async function allPosts({ posts }: Stores, workspaceId: Post['workspaceId']): Promise<readonly Post[]> {
  return (await posts.list(workspaceId, {}, { offset: 0, limit: 1000 })).items;
}
