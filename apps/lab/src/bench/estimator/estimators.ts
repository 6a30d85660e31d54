import { addProfile, emptyScores, HOURS_PER_WEEK, heatmapOf, type ProfileWeek, type Week } from '@postshelf/domain';

/** Estimated values of the hours of a week; only their order matters. */
export type Estimate = readonly number[];

/** A profile's posts by hour: their number, and the sum of their engagement as multiples of the mean. */
export interface Known {
  readonly posts: Week;
  readonly relative: Week;
}

export type Estimator = (known: Known) => Estimate;

/** The posts of average engagement that are added to each cell (docs/api.md, "Best times"). */
const PRIOR = 5;
const HOURS_PER_DAY = 24;

export function know(profile: ProfileWeek): Known {
  const scores = emptyScores();
  addProfile(scores, profile);
  return scores;
}

/** Plain means; an hour without posts counts as average. */
const mean: Estimator = ({ posts, relative }) =>
  Array.from(posts, (count, hour) => (count === 0 ? 1 : (relative[hour] ?? 0) / count));

/** The service's estimate. */
const shrunk: Estimator = (known) => heatmapOf(known).cells;

/** The service's estimate with `method` `smoothed`. */
const shrunkSmoothed: Estimator = (known) => heatmapOf(known, 'smoothed').cells;

/** Weights of neighbouring hours and days. */
interface Kernel {
  /** By distance in hours, from 0 on. */
  readonly hours: readonly number[];
  /** By distance in days, from 0 on. */
  readonly days: readonly number[];
  /** Whether hours continue around the week, so that Saturday's last hour is next to Sunday's first. */
  readonly round: 'the week' | 'each day';
}

/** Weights of the hour itself, and of hours one and two away. */
const HOURS = [1, 2 / 3, 1 / 3];

/** Adds to each cell a part of its neighbours' posts, then shrinks it as {@link shrunk}. */
const smoothed =
  (kernel: Kernel): Estimator =>
  ({ posts, relative }) => {
    const [count, score] = [smooth(posts, kernel), smooth(relative, kernel)];
    return count.map((weight, hour) => ((score[hour] ?? 0) + PRIOR) / (weight + PRIOR));
  };

function smooth(week: Week, { hours, days, round }: Kernel): number[] {
  const at = (day: number, hour: number): number => {
    const across = round === 'the week' ? 0 : Math.floor(hour / HOURS_PER_DAY) * HOURS_PER_DAY;
    const index = day * HOURS_PER_DAY + hour - across;
    return week[((index % HOURS_PER_WEEK) + HOURS_PER_WEEK) % HOURS_PER_WEEK] ?? 0;
  };
  const [aside, away] = [bothWays(hours), bothWays(days)];
  return Array.from({ length: HOURS_PER_WEEK }, (_, index) => {
    const [day, hour] = [Math.floor(index / HOURS_PER_DAY), index % HOURS_PER_DAY];
    let sum = 0;
    for (const [dayStep, dayWeight] of away)
      for (const [hourStep, hourWeight] of aside) sum += dayWeight * hourWeight * at(day + dayStep, hour + hourStep);
    return sum;
  });
}

/** Steps to either side with their weights. */
const bothWays = (weights: readonly number[]): readonly (readonly [step: number, weight: number])[] =>
  weights.flatMap((weight, distance): [number, number][] =>
    distance === 0
      ? [[0, weight]]
      : [
          [distance, weight],
          [-distance, weight],
        ],
  );

/** Posts that {@link nested} adds to each cell, each with the mean of its hour on all days. */
const NESTED = 10;

/**
 * Smooths hours, then shrinks them not to the average but to the mean of the same hour on all days, which is shrunk itself:
 * days with few posts resemble the others, and days with many keep their own values.
 */
const nested: Estimator = ({ posts, relative }) => {
  const kernel: Kernel = { hours: HOURS, days: [1], round: 'the week' };
  const [count, score] = [smooth(posts, kernel), smooth(relative, kernel)];
  const priors = Array.from({ length: HOURS_PER_DAY }, (_, hour) => {
    const sameHour = (week: readonly number[]) =>
      week.reduce((sum, value, index) => (index % HOURS_PER_DAY === hour ? sum + value : sum), 0);
    return (sameHour(score) + PRIOR) / (sameHour(count) + PRIOR);
  });
  return count.map((weight, hour) => {
    const prior = priors[hour % HOURS_PER_DAY] ?? 1;
    return ((score[hour] ?? 0) + NESTED * prior) / (weight + NESTED);
  });
};

/** All estimators that are compared; the service's own is the second. */
export const ESTIMATORS = {
  mean,
  'mean, shrunk (ours)': shrunk,
  'hours smoothed, shrunk': shrunkSmoothed,
  'hours and days smoothed, shrunk': smoothed({ hours: HOURS, days: [1, 0.5, 0.5, 0.5], round: 'each day' }),
  'hours smoothed, shrunk to the hour of all days': nested,
} as const satisfies Record<string, Estimator>;
