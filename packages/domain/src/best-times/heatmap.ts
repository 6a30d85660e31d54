import { HOURS_PER_WEEK } from './local-hours.ts';

/** By hour of the week, Sunday at midnight first. */
export type Week = Float64Array;

export const emptyWeek = (): Week => new Float64Array(HOURS_PER_WEEK);

export interface ProfileWeek {
  readonly posts: Week;
  readonly engagement: Week;
}

export const emptyProfileWeek = (): ProfileWeek => ({ posts: emptyWeek(), engagement: emptyWeek() });

export interface Scores {
  readonly posts: Week;
  /** Sums of engagement, each a multiple of its profile's mean. */
  readonly relative: Week;
}

export const emptyScores = (): Scores => ({ posts: emptyWeek(), relative: emptyWeek() });

/** Where the mean is 0, each post is worth 1. */
export function addProfile(scores: Scores, { posts, engagement }: ProfileWeek): void {
  const mean = sum(engagement) / sum(posts);
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const count = posts[hour] ?? 0;
    if (count === 0) continue;
    scores.posts[hour] = (scores.posts[hour] ?? 0) + count;
    scores.relative[hour] = (scores.relative[hour] ?? 0) + (mean === 0 ? count : (engagement[hour] ?? 0) / mean);
  }
}

/** So that few real posts change a cell little. */
const PRIOR_POSTS = 5;

export interface Heatmap {
  /** 100 is the profile's average. */
  readonly cells: readonly number[];
  readonly counts: readonly number[];
  readonly posts: number;
}

export const METHODS = ['hourly', 'smoothed'] as const;
export type Method = (typeof METHODS)[number];

/** By the distance in hours. */
const NEIGHBOURS = [1, 2 / 3, 1 / 3] as const;

/** docs/api.md, "Best times" */
export function heatmapOf(scores: Scores, method: Method = 'hourly'): Heatmap {
  const { posts } = scores;
  const total = sum(posts);
  const [counts, sums] = [posts, scores.relative].map((week) => (method === 'smoothed' ? smooth(week) : week));
  const cells = Array.from(posts.keys(), (hour) => {
    const cell = (100 * ((sums?.[hour] ?? 0) + PRIOR_POSTS)) / ((counts?.[hour] ?? 0) + PRIOR_POSTS);
    return total === 0 ? 0 : Math.round(cell * 100) / 100;
  });
  return { cells, counts: Array.from(posts), posts: total };
}

function smooth(week: Week): Week {
  const smoothed = emptyWeek();
  for (const [hour, value] of week.entries()) {
    for (const [distance, share] of NEIGHBOURS.entries()) {
      for (const neighbour of new Set([hour - distance, hour + distance])) {
        const at = (neighbour + HOURS_PER_WEEK) % HOURS_PER_WEEK;
        smoothed[at] = (smoothed[at] ?? 0) + share * value;
      }
    }
  }
  return smoothed;
}

const AVERAGE = 100;

const BEST = { leastPosts: 3, cells: 5 } as const;

/** Highest first; equal ones by number of posts, then by time. */
export function bestHours({ cells, counts }: Heatmap): readonly number[] {
  const ofCell = (hour: number): number => cells[hour] ?? 0;
  const ofCount = (hour: number): number => counts[hour] ?? 0;
  return Array.from(cells.keys())
    .filter((hour) => ofCell(hour) > AVERAGE && ofCount(hour) >= BEST.leastPosts)
    .sort((a, b) => ofCell(b) - ofCell(a) || ofCount(b) - ofCount(a) || a - b)
    .slice(0, BEST.cells);
}

const sum = (week: Week): number => week.reduce((total, value) => total + value, 0);
