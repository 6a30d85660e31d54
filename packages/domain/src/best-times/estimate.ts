import { HOURS_PER_WEEK, type LocalHours } from '../dates/local-hours.ts';
import { emptyWeek } from './heatmap.ts';
import { type ProfilePosts, type WeekOfPosts, weekOf } from './post-values.ts';
import { type Fit, fitWeek, type Prior } from './week-fit.ts';

const HOUR = 60 * 60 * 1000;

/** Minimum age of a post in hours. Metrics keep growing for some days, so younger posts look worse than they are. */
export const MIN_AGE_HOURS = 72;
const OLDEST = 365 * 24 * HOUR;

/** Maximum number of posts per profile, newest first; more would not visibly change an estimate. */
export const MAX_LEARNT_POSTS = 20_000;

/** Maximum number of posts per estimate. All profiles share it equally. */
export const MAX_ESTIMATED_POSTS = 200_000;

/** Returns the latest time of a post that estimates are learned from. */
export const learntUntil = (now: number): number => now - MIN_AGE_HOURS * HOUR;

/** Returns the window of posts that slots are learned from. */
export const learntWindow = (until: number) => ({ from: until - OLDEST, to: until });

/** Estimate for an hour of the week; 100 is the average. `low` to `high` is the 90 % interval. */
export interface HourEstimate {
  readonly score: number;
  readonly low: number;
  readonly high: number;
  readonly posts: number;
}

export const EVIDENCE = ['none', 'weak', 'fair', 'strong'] as const;
export type Evidence = (typeof EVIDENCE)[number];

export interface Estimate {
  /** Starts on Sunday at midnight. All 0 if there are no posts to learn from. */
  readonly hours: readonly HourEstimate[];
  readonly posts: number;
  /** Number of posts in the window that weren't used. */
  readonly leftOut: number;
  /** How certain it is that the best hours are better than the average. */
  readonly evidence: Evidence;
}

/**
 * Estimates how good the hours of the week are (docs/decisions/22-best-times.md).
 *
 * @param excluded hours of the week that aren't suggested. They are also estimated, but `evidence` only concerns the
 *   other hours.
 */
export function estimate(
  profiles: readonly ProfilePosts[],
  hours: LocalHours,
  excluded: ReadonlySet<number> = new Set(),
): Estimate {
  const week = weekOf(profiles, hours);
  const { posts, leftOut, counts } = week;
  if (posts === 0) {
    const unknown = { score: 0, low: 0, high: 0, posts: 0 };
    return { hours: Array.from(counts, () => unknown), posts, leftOut, evidence: 'none' };
  }
  const models = PRIORS.flatMap((prior) => explain(week, prior));
  const shares = sharesOf(models.map(({ evidence }) => evidence));
  const [means, squares] = [emptyWeek(), emptyWeek()];
  for (const [nth, model] of models.entries()) {
    const share = shares[nth] ?? 0;
    for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
      const mean = model.means[hour] ?? 0;
      means[hour] = (means[hour] ?? 0) + share * mean;
      squares[hour] = (squares[hour] ?? 0) + share * ((model.variances[hour] ?? 0) + mean * mean);
    }
  }
  const average = means.reduce((sum, mean, hour) => sum + ((counts[hour] ?? 0) / posts) * Math.exp(mean), 0);
  const scoreOf = (logarithm: number): number => Math.round((10_000 * Math.exp(logarithm)) / average) / 100;
  const estimates = Array.from(means, (mean, hour): HourEstimate => {
    const deviation = Math.sqrt(Math.max(0, (squares[hour] ?? 0) - mean ** 2));
    return {
      score: scoreOf(mean),
      low: scoreOf(mean - WITHIN_90 * deviation),
      high: scoreOf(mean + WITHIN_90 * deviation),
      posts: counts[hour] ?? 0,
    };
  });
  const best = rankedHours(estimates, excluded).slice(0, SUGGESTED);
  return { hours: estimates, posts, leftOut, evidence: evidenceOf(best, week, models) };
}

/** Ranks the hours of the week, best first: by score, then by posts, then by time. */
export function rankedHours(hours: readonly HourEstimate[], excluded: ReadonlySet<number>): readonly number[] {
  const order = (one: number, other: number): number => {
    const [a, b] = [hours[one], hours[other]];
    return (b?.score ?? 0) - (a?.score ?? 0) || (b?.posts ?? 0) - (a?.posts ?? 0) || one - other;
  };
  return Array.from(hours.keys())
    .filter((hour) => !excluded.has(hour))
    .sort(order);
}

/**
 * Half the width of a 90 % interval, in standard deviations. It is more than the 1.645 of a normal distribution,
 * because the scales of the priors are themselves only guesses.
 */
const WITHIN_90 = 1.7;

/** Standard deviations of effects. Measured effects are some 4 to 17 % (Spasojevic et al., 2015, arXiv 1506.02089). */
const PRIORS: readonly Prior[] = [
  { hour: 0.03, isSmooth: true },
  { hour: 0.1, isSmooth: true },
  { hour: 0.1, isSmooth: false },
  { hour: 0.3, isSmooth: true },
  { hour: 0.3, isSmooth: false },
].flatMap((ofHour) => [0.02, 0.1, 0.3].map((local) => ({ ...ofHour, local })));

/** Standard deviation of an hour's own effect. */
const OWN_DEVIATION = 0.04;

/**
 * Outstanding hours are far better or worse than the hours around them. `prior` is the probability that there are any,
 * `share` the expected share of such hours, and `deviation` the standard deviation of the difference.
 */
const OUTSTANDING = { prior: 0.2, share: 0.06, deviation: 0.6 } as const;

/** One explanation of the posts: a prior with or without outstanding hours. */
interface Model {
  readonly prior: Prior;
  /** The logarithm of the model's evidence. */
  readonly evidence: number;
  readonly means: Float64Array;
  readonly variances: Float64Array;
  readonly fit: Fit;
}

/**
 * Explains the week with and without outstanding hours. For each hour, one step of expectation propagation predicts the
 * hour from the other hours, without its own posts. It then compares how well the two explanations fit these posts, and
 * mixes them.
 */
function explain({ means: measured, noise }: WeekOfPosts, prior: Prior): readonly [usual: Model, outstanding: Model] {
  const small = OWN_DEVIATION ** 2;
  const large = small + OUTSTANDING.deviation ** 2;
  const precision = noise.map((variance) => (variance > 0 ? 1 / (variance + small) : 0));
  const fit = fitWeek(measured, precision, prior);
  const usual = { means: emptyWeek(), variances: emptyWeek() };
  const outstanding = { means: emptyWeek(), variances: emptyWeek() };
  let evidence = fit.evidence;
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const [mean, variance, error] = [fit.means[hour] ?? 0, fit.variances[hour] ?? 0, noise[hour] ?? 0];
    if (error === 0) {
      usual.means[hour] = mean;
      outstanding.means[hour] = mean;
      usual.variances[hour] = variance + small;
      outstanding.variances[hour] = variance + small + OUTSTANDING.share * (large - small);
      continue;
    }
    const [value, weight] = [measured[hour] ?? 0, precision[hour] ?? 0];
    // This is what the other hours predict, without this hour's posts.
    const around = 1 / Math.max(Number.EPSILON, 1 / variance - weight);
    const expected = around * (mean / variance - value * weight);
    const explanationBy = (own: number) => {
      const total = around + own + error;
      const trust = (around + own) / total;
      return {
        likelihood: -0.5 * ((value - expected) ** 2 / total + Math.log(total)),
        mean: expected + trust * (value - expected),
        variance: trust * error,
      };
    };
    const [alike, apart] = [explanationBy(small), explanationBy(large)];
    const odds = apart.likelihood - alike.likelihood + Math.log(OUTSTANDING.share / (1 - OUTSTANDING.share));
    const isApart = 1 / (1 + Math.exp(-odds));
    evidence += Math.log(1 - OUTSTANDING.share) + Math.max(0, odds) + Math.log1p(Math.exp(-Math.abs(odds)));
    usual.means[hour] = alike.mean;
    usual.variances[hour] = alike.variance;
    const mixed = alike.mean + isApart * (apart.mean - alike.mean);
    outstanding.means[hour] = mixed;
    outstanding.variances[hour] =
      (1 - isApart) * (alike.variance + (alike.mean - mixed) ** 2) +
      isApart * (apart.variance + (apart.mean - mixed) ** 2);
  }
  return [
    { prior, fit, evidence: fit.evidence + Math.log(1 - OUTSTANDING.prior), ...usual },
    { prior, fit, evidence: evidence + Math.log(OUTSTANDING.prior), ...outstanding },
  ];
}

function sharesOf(evidence: readonly number[]): readonly number[] {
  const max = Math.max(...evidence);
  const weights = evidence.map((logarithm) => Math.exp(logarithm - max));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Number of hours whose evidence is judged: the default number of suggested slots. */
const SUGGESTED = 5;

/** Minimum gain of a suggestion, as a logarithm. */
const GAIN = Math.log(1.05);

/** The minimum probability of each level. */
const LEVELS = [
  ['strong', 0.975],
  ['fair', 0.9],
  ['weak', 0.8],
] as const;

/**
 * Additional weight, as a logarithm, for priors with hardly any effect, so that the evidence also convinces readers who
 * doubt that hours matter.
 */
const DOUBT = Math.log(5);

const isOfDoubt = ({ hour, local }: Prior): boolean => hour < 0.05 && local < 0.05;

/** Judges the evidence by the probability that these hours gain at least {@link GAIN} on average. */
function evidenceOf(best: readonly number[], { counts, posts }: WeekOfPosts, models: readonly Model[]): Evidence {
  if (best.length === 0) return 'none';
  const weights = counts.map((count) => -count / posts);
  for (const hour of best) weights[hour] = (weights[hour] ?? 0) + 1 / best.length;
  const shares = sharesOf(models.map(({ evidence, prior }) => evidence + (isOfDoubt(prior) ? DOUBT : 0)));
  let probability = 0;
  for (const [nth, { fit, means, variances }] of models.entries()) {
    const share = shares[nth] ?? 0;
    if (share < 1e-4) continue;
    const gain = weights.reduce((sum, weight, hour) => sum + weight * (means[hour] ?? 0), 0);
    // The hours' own effects are independent of each other, so their variances add up.
    const own = best.map((hour) => Math.max(0, (variances[hour] ?? 0) - (fit.variances[hour] ?? 0)));
    const ofOwn = own.reduce((sum, variance) => sum + variance, 0) / best.length ** 2;
    probability += share * normalShareBelow((gain - GAIN) / Math.sqrt(fit.varianceOf(weights) + ofOwn));
  }
  return LEVELS.find(([, level]) => probability >= level)?.[0] ?? 'none';
}

/** Returns the normal distribution function (Abramowitz and Stegun, 26.2.17); off by at most 7.5e-8. */
function normalShareBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return x > 0 ? 1 - tail : tail;
}
