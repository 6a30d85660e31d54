import { addProfile, emptyScores, HOURS_PER_WEEK, heatmapOf, type ProfileWeek, type Week } from '@postshelf/domain';

/** What the hours of a week are taken to be worth; only their order matters here. */
export type Estimate = readonly number[];

/** What is known of a profile's posts: by hours how many, and the sum of their engagement as multiples of the mean. */
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

/** Means alone; an hour without posts is taken for average. */
const mean: Estimator = ({ posts, relative }) =>
  Array.from(posts, (count, hour) => (count === 0 ? 1 : (relative[hour] ?? 0) / count));

/** What the service does. */
const shrunk: Estimator = (known) => heatmapOf(known).cells;

/** What it does where `method` is `smoothed`. */
const shrunkSmoothed: Estimator = (known) => heatmapOf(known, 'smoothed').cells;

/** How much a neighbour counts that lies so many hours or days away. */
interface Kernel {
  /** By distance around the clock, from 0 on. */
  readonly hours: readonly number[];
  /** By distance around the week. */
  readonly days: readonly number[];
  /** Whether hours go round the week, so that Saturday's last lies beside Sunday's first. */
  readonly round: 'the week' | 'each day';
}

/** An hour away counts two thirds, two hours away one. */
const HOURS = [1, 2 / 3, 1 / 3];

/** Each cell as if its neighbours' posts were in part its own, then shrunk as {@link shrunk}. */
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

/** The posts, each worth what its hour is on all days, that are added to each cell there. */
const NESTED = 10;

/**
 * Hours smoothed, then shrunk not to the average but to what the same hour is worth on all days, which is shrunk itself:
 * days that are alike teach each other, and days with posts enough speak for themselves.
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

/** Every way to tell good hours from bad that is compared, the service's own second. */
export const ESTIMATORS = {
  mean,
  'mean, shrunk (ours)': shrunk,
  'hours smoothed, shrunk': shrunkSmoothed,
  'hours and days smoothed, shrunk': smoothed({ hours: HOURS, days: [1, 0.5, 0.5, 0.5], round: 'each day' }),
  'hours smoothed, shrunk to the hour of all days': nested,
} as const satisfies Record<string, Estimator>;
