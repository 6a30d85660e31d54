import { judgeNumber, type Limits, type ReadinessProblem } from './problem.ts';
import type { NumberRule, Rule, Target } from './rule.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Maximum number of posts counted for one verdict: more than any network's limit. */
export const MAX_COUNTED_POSTS = 2_500;

/**
 * Returns the period in which a profile's other posts can share 24 hours with a post published at `at`; both ends are
 * included.
 */
export const countedWindow = (at: number): { readonly from: number; readonly to: number } => ({
  from: at - DAY + 1,
  to: at + DAY - 1,
});

/**
 * Returns the number of posts in the busiest 24 hours around a post published at `at`. This post is counted too.
 *
 * @param times when the profile's other posts are published, in milliseconds since 1970; those a day or more away don't
 *   count
 */
export function busiestDayWith(times: readonly number[], at: number): number {
  const { from, to } = countedWindow(at);
  return busiestDay([...times.filter((time) => time >= from && time <= to), at]);
}

/** Returns the number of posts in the busiest 24 hours. Times are in milliseconds since 1970, in any order. */
export function busiestDay(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let max = 0;
  let first = 0;
  for (const [last, time] of sorted.entries()) {
    while (time - (sorted[first] ?? time) >= DAY) first += 1;
    max = Math.max(max, last - first + 1);
  }
  return max;
}

const isPostsPerDay = (rule: Rule): rule is NumberRule => rule.measure === 'posts_per_day';

/** Returns the problems that a target has with this number of posts within 24 hours; none if it has no limit. */
export function checkPostsPerDay(target: Target, posts: number, overrides: Limits = new Map()): ReadinessProblem[] {
  const count = { n: posts, d: 1 };
  return target.rules
    .filter(isPostsPerDay)
    .flatMap((rule) => judgeNumber(rule, { low: count, high: count, actual: posts }, null, overrides) ?? []);
}
