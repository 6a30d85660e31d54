import { HOURS_PER_WEEK } from '../dates/local-hours.ts';

/** A value for each hour of the week, starting on Sunday at midnight. */
export type Week = Float64Array;

export const emptyWeek = (): Week => new Float64Array(HOURS_PER_WEEK);

export interface ProfileWeek {
  readonly posts: Week;
  readonly engagement: Week;
}

export const emptyProfileWeek = (): ProfileWeek => ({ posts: emptyWeek(), engagement: emptyWeek() });

export interface Scores {
  readonly posts: Week;
  /** Sums of the posts' relative engagement, which is a post's engagement divided by the mean of its profile. */
  readonly relative: Week;
}

export const emptyScores = (): Scores => ({ posts: emptyWeek(), relative: emptyWeek() });

/** Adds the posts of a profile relative to its mean. If the mean is 0, each post is worth 1. */
export function addProfile(scores: Scores, { posts, engagement }: ProfileWeek): void {
  const mean = sum(engagement) / sum(posts);
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const count = posts[hour] ?? 0;
    if (count === 0) continue;
    scores.posts[hour] = (scores.posts[hour] ?? 0) + count;
    scores.relative[hour] = (scores.relative[hour] ?? 0) + (mean === 0 ? count : (engagement[hour] ?? 0) / mean);
  }
}

/** Number of average posts added to each cell, so that a few real posts change it little. */
const PRIOR_POSTS = 5;

export interface Heatmap {
  /** 100 is the profile's average. */
  readonly cells: readonly number[];
  readonly counts: readonly number[];
  readonly posts: number;
}

/** `estimate` is the model that slots use; `average` can be checked by hand. */
export const METHODS = ['estimate', 'average'] as const;
export type Method = (typeof METHODS)[number];

/** Returns the plain mean of each hour, pulled towards 100 (docs/api.md, "Best times"). */
export function heatmapOf({ posts, relative }: Scores): Heatmap {
  const total = sum(posts);
  const cells = Array.from(posts, (count, hour) => {
    const cell = (100 * ((relative[hour] ?? 0) + PRIOR_POSTS)) / (count + PRIOR_POSTS);
    return total === 0 ? 0 : Math.round(cell * 100) / 100;
  });
  return { cells, counts: Array.from(posts), posts: total };
}

const AVERAGE = 100;

const BEST = { leastPosts: 3, cells: 5 } as const;

/** Returns the best hours, the highest first. Equal hours are ordered by number of posts, then by time. */
export function bestHours({ cells, counts }: Heatmap): readonly number[] {
  const ofCell = (hour: number): number => cells[hour] ?? 0;
  const ofCount = (hour: number): number => counts[hour] ?? 0;
  return Array.from(cells.keys())
    .filter((hour) => ofCell(hour) > AVERAGE && ofCount(hour) >= BEST.leastPosts)
    .sort((a, b) => ofCell(b) - ofCell(a) || ofCount(b) - ofCount(a) || a - b)
    .slice(0, BEST.cells);
}

const sum = (week: Week): number => week.reduce((total, value) => total + value, 0);
