import type { Metrics } from '../../posts/support/posts.ts';
import { type LocalTime, localTime } from './temporal.ts';

/** The fields of a post on which the heatmap depends. */
export interface CountedPost {
  readonly profile: string;
  /** The time of publication in milliseconds since the epoch. */
  readonly at: number;
  readonly engagement: number;
  readonly local: LocalTime;
}

export interface Expected {
  /** The unrounded values of 24 hours for each of the 7 days, beginning with Sunday. */
  readonly heatmap: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
  readonly posts: number;
}

/** "Engagement of a post = likes + comments + shares + saves." */
export function countedPost(zone: string, profile: string, at: number, metrics: Partial<Metrics>): CountedPost {
  const { likes = 0, comments = 0, shares = 0, saves = 0 } = metrics;
  return { profile, at, engagement: likes + comments + shares + saves, local: localTime(zone, at) };
}

/**
 * The heatmap of a window's posts, as specified: "`r` = engagement ÷ that profile's mean in the window (1 where
 * the mean is 0). Cell = `100 × (Σr + 5) / (n + 5)` … No posts at all in the window: every cell 0."
 */
export function expectedHeatmap(posts: readonly CountedPost[]): Expected {
  const sums = new Map<string, { posts: number; engagement: number }>();
  for (const { profile, engagement } of posts) {
    const sum = sums.get(profile) ?? { posts: 0, engagement: 0 };
    sums.set(profile, { posts: sum.posts + 1, engagement: sum.engagement + engagement });
  }
  const relative = week();
  const counts = week();
  for (const { profile, engagement, local } of posts) {
    const sum = sums.get(profile) ?? { posts: 1, engagement: 0 };
    const mean = sum.engagement / sum.posts;
    add(relative, local, mean === 0 ? 1 : engagement / mean);
    add(counts, local, 1);
  }
  const heatmap = relative.map((day, weekday) =>
    day.map((score, hour) => (posts.length === 0 ? 0 : (100 * (score + 5)) / ((counts[weekday]?.[hour] ?? 0) + 5))),
  );
  return { heatmap, counts, posts: posts.length };
}

const week = (): number[][] => Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));

function add(to: number[][], { weekday, hour }: LocalTime, value: number): void {
  const day = to[weekday];
  if (day === undefined) throw new Error(`There is no day ${weekday}.`);
  day[hour] = (day[hour] ?? 0) + value;
}
