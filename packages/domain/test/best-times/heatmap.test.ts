import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  addProfile,
  bestHours,
  emptyProfileWeek,
  emptyScores,
  type Heatmap,
  HOURS_PER_WEEK,
  heatmapOf,
  MAX_METRIC,
} from '../../src/index.ts';

/** An hour of the week and the engagement of a post in it. */
type Sample = readonly [hour: number, engagement: number];

/** Returns the heatmap of these posts, which are grouped by profile. */
function heatmap(...profiles: readonly (readonly Sample[])[]): Heatmap {
  const scores = emptyScores();
  for (const posts of profiles) {
    const week = emptyProfileWeek();
    for (const [hour, engagement] of posts) {
      week.posts[hour] = (week.posts[hour] ?? 0) + 1;
      week.engagement[hour] = (week.engagement[hour] ?? 0) + engagement;
    }
    if (posts.length > 0) addProfile(scores, week);
  }
  return heatmapOf(scores);
}

const weekOf = (some: Readonly<Record<number, number>>, rest: number): number[] =>
  Array.from({ length: HOURS_PER_WEEK }, (_, hour) => some[hour] ?? rest);

describe('a heatmap', () => {
  test('is 0 everywhere without posts', () => {
    expect(heatmap()).toEqual({ cells: weekOf({}, 0), counts: weekOf({}, 0), posts: 0 });
  });

  // The profiles' mean engagements are 20 and 4. In the first profile, a post with 30 has 1.5 times the mean, and a
  // post with 10 has half of it.
  test('has 100 × (Σr + 5) ÷ (n + 5) in each cell, and 100 in cells without posts', () => {
    expect(
      heatmap(
        [
          [0, 30],
          [0, 30],
          [7, 10],
          [167, 10],
        ],
        [
          [7, 8],
          [8, 0],
        ],
      ),
    ).toEqual({
      cells: weekOf({ 0: 114.29, 7: 107.14, 8: 83.33, 167: 91.67 }, 100),
      counts: weekOf({ 0: 2, 7: 2, 8: 1, 167: 1 }, 0),
      posts: 6,
    });
  });

  test('counts each post of a profile without any engagement as average', () => {
    const { cells, counts } = heatmap([
      [3, 0],
      [4, 0],
      [4, 0],
    ]);
    expect(cells).toEqual(weekOf({}, 100));
    expect(counts).toEqual(weekOf({ 3: 1, 4: 2 }, 0));
  });

  test('is 100 for a single post, whatever its engagement', () => {
    for (const engagement of [0, 1, 4 * MAX_METRIC]) {
      expect(heatmap([[50, engagement]]).cells).toEqual(weekOf({}, 100));
    }
  });

  test('dampens one exceptional post in an hour much more than many', () => {
    const quiet: Sample[] = Array.from({ length: 990 }, (_, index) => [100 + (index % 10), 100]);
    const loud = (count: number): Sample[] => Array.from({ length: count }, () => [5, 10_000]);
    expect(heatmap([...quiet, ...loud(1)]).cells[5]).toBeLessThan(1700);
    expect(heatmap([...quiet.slice(0, 90), ...loud(90)]).cells[5]).toBeCloseTo(100 * (((90 * 2) / 1.01 + 5) / 95), 2);
  });
});

const anyPosts = fc.array(
  fc.tuple(fc.nat({ max: HOURS_PER_WEEK - 1 }), fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 1_000_000 }))),
  { maxLength: 60 },
);
const anyProfiles = fc.array(anyPosts, { maxLength: 5 });

describe('a heatmap of any posts', () => {
  test('equals the formula computed post by post', () => {
    fc.assert(
      fc.property(anyProfiles, (profiles) => {
        const { cells, counts, posts } = heatmap(...profiles);
        const scored = profiles.flatMap((ofProfile) => {
          const mean = ofProfile.reduce((sum, [, engagement]) => sum + engagement, 0) / ofProfile.length;
          return ofProfile.map(([hour, engagement]) => [hour, mean === 0 ? 1 : engagement / mean] as const);
        });
        expect(posts).toBe(scored.length);
        for (let hour = 0; hour < HOURS_PER_WEEK; hour += 1) {
          const own = scored.filter(([other]) => other === hour);
          expect(counts[hour]).toBe(own.length);
          const sum = own.reduce((total, [, score]) => total + score, 0);
          const cell = scored.length === 0 ? 0 : (100 * (sum + 5)) / (own.length + 5);
          expect(Math.abs((cells[hour] ?? Number.NaN) - cell)).toBeLessThan(0.00501);
          expect((cells[hour] ?? Number.NaN).toString()).toMatch(/^\d+(\.\d{1,2})?$/);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("doesn't depend on the scale of engagement, or on the order of profiles and posts", () => {
    fc.assert(
      fc.property(anyProfiles, fc.constantFrom(2, 4, 1024), (profiles, factor) => {
        const larger = profiles.map((posts) => posts.map(([hour, engagement]) => [hour, engagement * factor] as const));
        expect(heatmap(...larger)).toEqual(heatmap(...profiles));
        const other = heatmap(...profiles.toReversed().map((posts) => posts.toReversed()));
        for (const [hour, cell] of heatmap(...profiles).cells.entries()) {
          expect(Math.abs((other.cells[hour] ?? Number.NaN) - cell)).toBeLessThan(0.0101);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('the best hours', () => {
  const map = (cells: Readonly<Record<number, number>>, counts: Readonly<Record<number, number>>): Heatmap => ({
    cells: weekOf(cells, 100),
    counts: weekOf(counts, 0),
    posts: 1,
  });

  test('are the five highest cells above average with at least three posts', () => {
    const cells = { 1: 300, 2: 250, 3: 200, 4: 150, 5: 120, 6: 110, 7: 50 };
    expect(bestHours(map(cells, { 1: 2, 2: 3, 3: 3, 4: 9, 5: 3, 6: 3, 7: 3 }))).toEqual([2, 3, 4, 5, 6]);
    expect(bestHours(map(cells, { 7: 3, 1: 3, 4: 1 }))).toEqual([1]);
    expect(bestHours(map(cells, { 1: 2 }))).toEqual([]);
  });

  test('are fewer, or none, if fewer cells are above the rounded average', () => {
    const counts = { 1: 9, 2: 9, 3: 9 };
    expect(bestHours(map({ 1: 100, 2: 100.01, 3: 99.99 }, counts))).toEqual([2]);
    expect(bestHours(map({ 1: 100, 2: 40, 3: 99.99 }, counts))).toEqual([]);
  });

  test('are ordered by posts, then by time of the week, if their cells are equal', () => {
    const cells = { 10: 130, 20: 130, 30: 130, 40: 130, 50: 130, 60: 130 };
    expect(bestHours(map(cells, { 10: 3, 20: 4, 30: 4, 40: 9, 50: 3, 60: 3 }))).toEqual([40, 20, 30, 10, 50]);
  });

  test('score at least as high as every other hour with enough posts', () => {
    fc.assert(
      fc.property(anyProfiles, (profiles) => {
        const found = heatmap(...profiles);
        const best = bestHours(found);
        const cellOf = (hour: number): number => found.cells[hour] ?? 0;
        const enough = [...found.counts.keys()].filter((hour) => (found.counts[hour] ?? 0) >= 3 && cellOf(hour) > 100);
        expect(new Set(best).size).toBe(best.length);
        expect(best).toHaveLength(Math.min(5, enough.length));
        expect(best.every((hour) => enough.includes(hour))).toBe(true);
        const last = best.at(-1) ?? 0;
        for (const hour of enough.filter((other) => !best.includes(other))) {
          expect(cellOf(hour)).toBeLessThanOrEqual(cellOf(last));
        }
        expect(best.map(cellOf)).toEqual(best.map(cellOf).toSorted((a, b) => b - a));
      }),
      { numRuns: 100 },
    );
  });
});
