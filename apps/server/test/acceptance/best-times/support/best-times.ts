import { expect } from 'bun:test';
import { arrayAt, at, type Reply, stringAt } from '../../support/reply.ts';
import type { World } from '../../support/world.ts';
import { type CountedPost, type Expected, expectedHeatmap } from './oracle.ts';

export const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** An answer to `GET /analytics/best_times`, with the week as 7 × 24 numbers. */
export interface BestTimes {
  readonly heatmap: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
  readonly posts: number;
  readonly best: readonly Best[];
  /** This is null if the answer has plain averages. */
  readonly certainty: Certainty | null;
}

interface Certainty {
  readonly low: readonly (readonly number[])[];
  readonly high: readonly (readonly number[])[];
  readonly evidence: string;
  readonly leftOut: number;
}

interface Best {
  readonly day: string;
  readonly hour: number;
  readonly value: number;
  readonly posts: number;
}

export function askBestTimes(world: World, query: Readonly<Record<string, string>>, token = 'all'): Promise<Reply> {
  return world.call(`GET /analytics/best_times?${new URLSearchParams(world.fill(query))}`, { token });
}

/** "`data.heatmap` has exactly the seven keys, Sunday first", each "an array of 24 numbers"; `meta` is next to it. */
export function readBestTimes(reply: Reply): BestTimes {
  expect({ status: reply.status, body: reply.text.slice(0, 1000) }).toMatchObject({ status: 200 });
  expect(Object.keys(Object(reply.json))).toEqual(['data', 'meta']);
  expect(Object.keys(Object(at(reply.json, 'data')))).toEqual(['heatmap']);
  const meta = at(reply.json, 'meta');
  const isEstimate = Object.keys(Object(meta)).includes('evidence');
  const ofEstimate = isEstimate ? ['evidence', 'high', 'low', 'posts_left_out'] : [];
  const ofAll = ['best', 'counts', 'from', 'posts', 'timezone', 'to'];
  expect(Object.keys(Object(meta)).sort()).toEqual([...ofAll, ...ofEstimate].sort());
  for (const end of ['from', 'to']) expect(stringAt(meta, end)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return {
    heatmap: readWeek(at(reply.json, 'data', 'heatmap')),
    counts: readWeek(at(meta, 'counts')),
    timezone: stringAt(meta, 'timezone'),
    from: stringAt(meta, 'from'),
    to: stringAt(meta, 'to'),
    posts: Number(at(meta, 'posts')),
    best: arrayAt(meta, 'best').map(readBest),
    certainty: isEstimate
      ? {
          low: readWeek(at(meta, 'low')),
          high: readWeek(at(meta, 'high')),
          evidence: stringAt(meta, 'evidence'),
          leftOut: Number(at(meta, 'posts_left_out')),
        }
      : null,
  };
}

function readWeek(value: unknown): number[][] {
  expect(Object.keys(Object(value))).toEqual([...days]);
  return days.map((day) => {
    const hours = arrayAt(value, day);
    expect(hours).toHaveLength(24);
    return hours.map((hour) => {
      expect(hour).toBeNumber();
      return Number(hour);
    });
  });
}

function readBest(value: unknown): Best {
  expect(Object.keys(Object(value)).sort()).toEqual(['day', 'hour', 'posts', 'value']);
  return {
    day: stringAt(value, 'day'),
    hour: Number(at(value, 'hour')),
    value: Number(at(value, 'value')),
    posts: Number(at(value, 'posts')),
  };
}

export async function bestTimes(world: World, query: Readonly<Record<string, string>>, token = 'all') {
  return readBestTimes(await askBestTimes(world, query, token));
}

/** Requests best times with `method=average`, which can be checked by hand. */
export const averages = (world: World, query: Readonly<Record<string, string>>) =>
  bestTimes(world, { ...query, method: 'average' });

/** The maximum error of rounding to two decimals, plus the rounding error of summing doubles. */
const tolerance = 0.005 + 1e-9;

/**
 * Checks that every cell is right within 0.005, and that the counts are exact. Also checks that `best` has the highest
 * cells: at most five, all of which are above 100 and have at least three posts.
 */
export function expectHeatmap(found: BestTimes, posts: readonly CountedPost[]): void {
  const expected = expectedHeatmap(posts);
  expect({ posts: found.posts, counts: found.counts }).toEqual({ posts: expected.posts, counts: expected.counts });
  expect(strays(found, expected)).toEqual([]);
  expectBest(found);
}

function strays(found: BestTimes, expected: Expected): string[] {
  return found.heatmap.flatMap((day, weekday) =>
    day.flatMap((cell, hour) => {
      const wanted = expected.heatmap[weekday]?.[hour] ?? Number.NaN;
      const near = Math.abs(cell - wanted) <= tolerance && Math.abs(cell * 100 - Math.round(cell * 100)) < 1e-6;
      return near ? [] : [`${days[weekday]} ${hour}: ${cell} where ${wanted} is right`];
    }),
  );
}

function expectBest({ best, heatmap, counts }: BestTimes): void {
  const cells = heatmap.flatMap((day, weekday) =>
    day.map((value, hour): Best => {
      return { day: String(days[weekday]), hour, value, posts: counts[weekday]?.[hour] ?? 0 };
    }),
  );
  const eligible = cells.filter((cell) => cell.value > 100 && cell.posts >= 3);
  const values = eligible.map((cell) => cell.value).sort((a, b) => b - a);
  expect(best.map((one) => one.value)).toEqual(values.slice(0, 5));
  // If several cells have the same value, any of them may be listed, but no cell may be listed twice.
  for (const one of best) expect(eligible).toContainEqual(one);
  expect(new Set(best.map((one) => `${one.day} ${one.hour}`)).size).toBe(best.length);
}
