import { describe, expect, test } from 'bun:test';
import {
  type Estimate,
  estimate,
  localHours,
  normal,
  type ProfilePosts,
  randomFrom,
  rankedHours,
} from '../../src/index.ts';

const HOUR = 3_600_000;
/** The first day of the posts, which is a Sunday. */
const START = Date.UTC(2026, 6, 5);
const hours = localHours('UTC');

/**
 * Returns posts at random times within 12 weeks. Their engagement is log-normal: its logarithm has a standard deviation
 * of 0.3.
 */
function posts(seed: number, count: number, engagementAt: (hour: number) => number): ProfilePosts {
  const random = randomFrom(seed);
  const at = Float64Array.from({ length: count }, () => START + Math.floor(random() * 12 * 168 * HOUR));
  return {
    at,
    engagement: at.map((instant) => Math.round(engagementAt(hours.at(instant)) * Math.exp(0.3 * normal(random)))),
  };
}

const scoresOf = ({ hours: all }: Estimate) => all.map(({ score }) => score);

// apps/lab/src/bench/best-times measures how good the suggestions are; a test runs a sample of it.
describe('an estimate', () => {
  test('ranks better hours first, with strong evidence', () => {
    const better = [30, 31, 100, 101, 140];
    const found = estimate([posts(1, 2000, (hour) => (better.includes(hour) ? 400 : 200))], hours);
    expect(
      rankedHours(found.hours, new Set())
        .slice(0, 5)
        .toSorted((one, other) => one - other),
    ).toEqual(better);
    expect(found.evidence).toBe('strong');
    for (const hour of better) expect(found.hours[hour]?.low).toBeGreaterThan(120);
  });

  test('has no evidence if hours make no difference, or if all hours that differ are excluded', () => {
    const weekend = (hour: number): number => (hour < 24 ? 600 : 200);
    const found = [posts(2, 1000, weekend)];
    expect(estimate(found, hours).evidence).toBe('strong');
    expect(estimate(found, hours, new Set(Array.from({ length: 24 }, (_, hour) => hour))).evidence).toBe('none');
    expect(estimate(found, hours, new Set(Array.from({ length: 168 }, (_, hour) => hour))).evidence).toBe('none');
    expect(estimate([posts(3, 1000, () => 200)], hours).evidence).toBe('none');
  });

  test('infers hours without posts from similar hours, with a wider interval', () => {
    const made = posts(4, 800, (hour) => (hour % 24 >= 18 ? 400 : 200));
    const isKept = (_: number, index: number): boolean => hours.at(made.at[index] ?? 0) !== 43;
    const found = estimate([{ at: made.at.filter(isKept), engagement: made.engagement.filter(isKept) }], hours);
    const [unknown, known] = [found.hours[43], found.hours[44]];
    expect(unknown?.posts).toBe(0);
    expect(unknown?.score).toBeGreaterThan(120);
    const width = (hour: typeof known) => (hour?.high ?? 0) - (hour?.low ?? 0);
    expect(width(unknown)).toBeGreaterThan(width(known));
  });

  test('stays near 100 despite one viral post, and is deterministic', () => {
    const usual = posts(5, 500, () => 200);
    const viral = { at: usual.at, engagement: usual.engagement.with(0, 10_000_000) };
    const found = estimate([viral], hours);
    expect(found.hours[hours.at(usual.at[0] ?? 0)]?.score).toBeLessThan(115);
    expect(estimate([viral], hours)).toEqual(found);
  });

  test("doesn't favour the hours in which a growing account has posted lately", () => {
    const at = Float64Array.from(
      { length: 600 },
      (_, nth) => START + Math.floor(nth / 50) * 168 * HOUR + (nth < 300 ? 10 : 15) * HOUR + (nth % 7) * 24 * HOUR,
    );
    const engagement = at.map((instant) => Math.round(100 * 3 ** ((instant - START) / (12 * 168 * HOUR))));
    const found = estimate([{ at, engagement }], hours);
    for (const { score, posts: count } of found.hours) if (count > 0) expect(Math.abs(score - 100)).toBeLessThan(15);
  });

  test('compares each post only with posts of the same profile', () => {
    const [small, large] = [posts(6, 400, () => 10), posts(7, 400, () => 100_000)];
    const atNoon = large.at.map((instant) => instant - (instant % (24 * HOUR)) + 12 * HOUR);
    const found = estimate([small, { at: atNoon, engagement: large.engagement }], hours);
    expect(Math.max(...scoresOf(found))).toBeLessThan(125);
  });

  test('is 100 for every hour, without evidence, if all posts have the same engagement', () => {
    for (const likes of [0, 7]) {
      const { at } = posts(8, 300, () => 1);
      const found = estimate([{ at, engagement: at.map(() => likes) }], hours);
      expect([new Set(scoresOf(found)), found.evidence, found.posts]).toEqual([new Set([100]), 'none', 300]);
      for (const { low, high } of found.hours) expect(low < 100 && high > 100).toBe(true);
    }
  });

  test("isn't changed by profiles whose posts all have the same engagement", () => {
    const made = posts(9, 500, (hour) => (hour % 24 === 18 ? 400 : 200));
    const silent = { at: made.at, engagement: made.at.map(() => 0) };
    expect(scoresOf(estimate([made, silent], hours))).toEqual(scoresOf(estimate([made], hours)));
  });

  test('leaves out profiles with fewer than five posts, and is 0 for every hour if none remain', () => {
    const [few, many] = [posts(10, 4, () => 5), posts(11, 5, () => 5)];
    expect(estimate([few, many], hours)).toMatchObject({ posts: 5, leftOut: 4 });
    const found = estimate([few], hours);
    expect(found).toMatchObject({ posts: 0, leftOut: 4, evidence: 'none' });
    expect(new Set(found.hours)).toEqual(new Set([{ score: 0, low: 0, high: 0, posts: 0 }]));
    expect(estimate([], hours)).toEqual({ ...found, leftOut: 0 });
  });

  test('stays finite for enormous and extremely different counts', () => {
    const { at } = posts(12, 200, () => 1);
    for (const engagement of [at.map((_, nth) => 10 ** (nth % 12)), at.map((_, nth) => (nth === 0 ? 4e11 : 0))]) {
      const found = estimate([{ at, engagement }], hours);
      for (const { score, low, high } of found.hours) {
        expect([score, low, high].every(Number.isFinite)).toBe(true);
        expect(low <= score && score <= high).toBe(true);
      }
    }
  });
});
