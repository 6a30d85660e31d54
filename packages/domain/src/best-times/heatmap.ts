import { HOURS_PER_WEEK } from './local-hours.ts';

/** A number for each hour of the week, from Sunday midnight. */
export type Week = Float64Array;

export const emptyWeek = (): Week => new Float64Array(HOURS_PER_WEEK);

/** What one profile posted in a window, by hours of the week. */
export interface ProfileWeek {
  readonly posts: Week;
  /** Sums over those posts. */
  readonly engagement: Week;
}

export const emptyProfileWeek = (): ProfileWeek => ({ posts: emptyWeek(), engagement: emptyWeek() });

/** What several profiles' posts are worth, by hours of the week. */
export interface Scores {
  readonly posts: Week;
  /** Sums of each post's engagement as a multiple of its profile's mean in the window. */
  readonly relative: Week;
}

export const emptyScores = (): Scores => ({ posts: emptyWeek(), relative: emptyWeek() });

/**
 * Adds a profile's week to the scores. Where the profile's mean is 0, each of its posts is worth 1
 * (docs/api.md, "Best times").
 */
export function addProfile(scores: Scores, { posts, engagement }: ProfileWeek): void {
  const mean = sum(engagement) / sum(posts);
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const count = posts[hour] ?? 0;
    if (count === 0) continue;
    scores.posts[hour] = (scores.posts[hour] ?? 0) + count;
    scores.relative[hour] = (scores.relative[hour] ?? 0) + (mean === 0 ? count : (engagement[hour] ?? 0) / mean);
  }
}

/** Posts of average engagement that each cell is given, so that few real ones can't shout. */
const PRIOR_POSTS = 5;

export interface Heatmap {
  /** 100 is the profile's average; two decimals. All 0 without posts. */
  readonly cells: readonly number[];
  readonly counts: readonly number[];
  readonly posts: number;
}

/** Each cell is `100 × (Σr + 5) ÷ (n + 5)` over its posts (docs/api.md, "Best times"). */
export function heatmapOf({ posts, relative }: Scores): Heatmap {
  const total = sum(posts);
  const cells = Array.from(relative, (score, hour) => {
    const cell = (100 * (score + PRIOR_POSTS)) / ((posts[hour] ?? 0) + PRIOR_POSTS);
    return total === 0 ? 0 : Math.round(cell * 100) / 100;
  });
  return { cells, counts: Array.from(posts), posts: total };
}

/** How many posts a cell needs, and how many cells are named. */
const BEST = { leastPosts: 3, cells: 5 } as const;

/** The hours of the week with the highest cells, highest first; of equal ones that with more posts, then the earlier. */
export function bestHours({ cells, counts }: Heatmap): readonly number[] {
  const ofCell = (hour: number): number => cells[hour] ?? 0;
  const ofCount = (hour: number): number => counts[hour] ?? 0;
  return Array.from(cells.keys())
    .filter((hour) => ofCount(hour) >= BEST.leastPosts)
    .sort((a, b) => ofCell(b) - ofCell(a) || ofCount(b) - ofCount(a) || a - b)
    .slice(0, BEST.cells);
}

const sum = (week: Week): number => week.reduce((total, value) => total + value, 0);
