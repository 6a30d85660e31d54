import { type Evidence, evidenceOf, likeness } from './evidence.ts';
import { HOURS_PER_WEEK, type LocalHours } from './local-hours.ts';
import { type Cells, cellsOf, type MeasuredPost, type Sample, sampleOf } from './sample.ts';

/** Of an hour of the week; 100 is the average. `low` to `high` is the 90 % interval. */
export interface HourEstimate {
  readonly score: number;
  readonly low: number;
  readonly high: number;
  readonly posts: number;
}

export interface Estimate {
  /** Sunday at midnight first. */
  readonly hours: readonly HourEstimate[];
  readonly posts: number;
  readonly evidence: Evidence;
}

/** @param posts within `learntWindow`, at most `MAX_LEARNT_POSTS` */
export function estimate(posts: readonly MeasuredPost[], hours: LocalHours): Estimate {
  const sample = sampleOf(posts, hours);
  return { hours: hourEstimates(sample), posts: posts.length, evidence: evidenceOf(sample) };
}

/** Standard deviations of effects in logarithms. The literature has +4 to +17 % (Klout, arXiv 1506.02089). */
const PRIORS = [0.01, 0.07, 0.16, 0.35].flatMap((ofHour) =>
  [0.01, 0.08].flatMap((ofDay) => [0.01, 0.06, 0.15, 0.3].map((ofCell) => ({ ofHour, ofDay, ofCell }))),
);

/** One effect for each hour of the day and each day. */
const EFFECTS = 24 + 7;

/** A normal distribution would have 1.645; the variances are estimates, too, and with 1.75 the intervals hold 90 %. */
const WITHIN_90 = 1.75;

/** So that few posts don't seem certain. */
const PRIOR = { posts: 2, variance: 0.5 } as const;
const PRIOR_REPEATS = 10;

/** Of posts of the same hour; of all posts, which differ more, as long as few share an hour. */
function noiseOf({ counts, sums }: Cells, values: Float64Array): number {
  const all = values.reduce((sum, value) => sum + value * value, 0);
  const between = sums.reduce((sum, value, cell) => sum + (value * value) / (counts[cell] || 1), 0);
  const repeats = values.length - counts.filter((count) => count > 0).length;
  const overall = (all + PRIOR.posts * PRIOR.variance) / (values.length + PRIOR.posts);
  return (all - between + PRIOR_REPEATS * overall) / (repeats + PRIOR_REPEATS);
}

/**
 * Effects of hours of the day (neighbours are alike), of days and of single hours, shrunk by empirical Bayes: an average
 * over {@link PRIORS}, by how well each explains the posts.
 */
function hourEstimates({ hours, values }: Sample): readonly HourEstimate[] {
  const cells = cellsOf(hours, values);
  const { counts, sums } = cells;
  const variance = noiseOf(cells, values);
  const fits = PRIORS.map((prior) => fit(counts, sums, variance, prior));
  const best = Math.max(...fits.map(({ likelihood }) => likelihood));
  const weights = fits.map(({ likelihood }) => Math.exp(likelihood - best));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const averaged = Array.from({ length: HOURS_PER_WEEK }, (_, cell) => {
    let [mean, square] = [0, 0];
    for (const [index, { means, variances }] of fits.entries()) {
      const [weight, ofFit] = [(weights[index] ?? 0) / total, means[cell] ?? 0];
      mean += weight * ofFit;
      square += weight * ((variances[cell] ?? 0) + ofFit * ofFit);
    }
    return { mean, deviation: Math.sqrt(Math.max(0, square - mean * mean)) };
  });
  const posts = Math.max(1, values.length);
  const average =
    averaged.reduce((sum, { mean }, cell) => sum + ((counts[cell] ?? 0) / posts) * Math.exp(mean), 0) || 1;
  const scoreOf = (logarithm: number): number => Math.round((10_000 * Math.exp(logarithm)) / average) / 100;
  return averaged.map(({ mean, deviation }, cell) => ({
    score: scoreOf(mean),
    low: scoreOf(mean - WITHIN_90 * deviation),
    high: scoreOf(mean + WITHIN_90 * deviation),
    posts: counts[cell] ?? 0,
  }));
}

interface Fit {
  readonly likelihood: number;
  readonly means: Float64Array;
  readonly variances: Float64Array;
}

type Matrix = Float64Array[];

const square = (size: number): Matrix => Array.from({ length: size }, () => new Float64Array(size));

/** Inverses of the likeness of hours of the day, which all priors share but for a factor. */
const ALIKE = (() => {
  const matrix = square(24).map((row, one) =>
    row.map((_, other) => likeness(Math.abs(one - other)) + (one === other ? 0.3 : 0)),
  );
  return invert(matrix);
})();

/** Bayesian linear regression of the cells' means, whose noise includes the effect of the single hour. */
function fit(
  counts: Float64Array,
  sums: Float64Array,
  variance: number,
  { ofHour, ofDay, ofCell }: (typeof PRIORS)[number],
): Fit {
  const precision = square(EFFECTS);
  const right = new Float64Array(EFFECTS);
  let likelihood = -0.5 * (24 * Math.log(ofHour ** 2) + ALIKE.logDeterminant + 7 * Math.log(ofDay ** 2));
  for (let one = 0; one < EFFECTS; one++)
    for (let other = 0; other < EFFECTS; other++) {
      const ofDays = one === other ? 1 / ofDay ** 2 : 0;
      add(precision, one, other, one < 24 && other < 24 ? (ALIKE.inverse[one]?.[other] ?? 0) / ofHour ** 2 : ofDays);
    }
  for (let cell = 0; cell < HOURS_PER_WEEK; cell++) {
    const count = counts[cell] ?? 0;
    if (count === 0) continue;
    const [hour, day] = effectsOf(cell);
    const noise = variance / count + ofCell ** 2;
    const mean = (sums[cell] ?? 0) / count;
    likelihood -= 0.5 * (Math.log(noise) + mean ** 2 / noise);
    for (const one of [hour, day]) {
      right[one] = (right[one] ?? 0) + mean / noise;
      for (const other of [hour, day]) add(precision, one, other, 1 / noise);
    }
  }
  const { inverse, logDeterminant } = invert(precision);
  const effects = inverse.map((row) => row.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0));
  likelihood += 0.5 * (right.reduce((sum, value, index) => sum + value * (effects[index] ?? 0), 0) - logDeterminant);
  const means = new Float64Array(HOURS_PER_WEEK);
  const variances = new Float64Array(HOURS_PER_WEEK);
  for (let cell = 0; cell < HOURS_PER_WEEK; cell++) {
    const [hour, day] = effectsOf(cell);
    const count = counts[cell] ?? 0;
    const common = (effects[hour] ?? 0) + (effects[day] ?? 0);
    const at = (one: number, other: number): number => inverse[one]?.[other] ?? 0;
    const uncertain = at(hour, hour) + at(day, day) + 2 * at(hour, day);
    const share = count === 0 ? 0 : ofCell ** 2 / (ofCell ** 2 + variance / count);
    means[cell] = common + share * ((count === 0 ? 0 : (sums[cell] ?? 0) / count) - common);
    variances[cell] = (1 - share) ** 2 * uncertain + (1 - share) * ofCell ** 2;
  }
  return { likelihood, means, variances };
}

const effectsOf = (cell: number): readonly [number, number] => [cell % 24, 24 + Math.floor(cell / 24)];

function add(matrix: Matrix, row: number, column: number, value: number): void {
  const values = matrix[row];
  if (values) values[column] = (values[column] ?? 0) + value;
}

/** Of a positive definite matrix, by Gauss and Jordan. */
function invert(given: Matrix): { readonly inverse: Matrix; readonly logDeterminant: number } {
  const inverse = given.map((row) => row.slice());
  let logDeterminant = 0;
  for (const [pivot, row] of inverse.entries()) {
    const divisor = row[pivot] ?? 1;
    logDeterminant += Math.log(divisor);
    row[pivot] = 1;
    for (let column = 0; column < row.length; column++) row[column] = (row[column] ?? 0) / divisor;
    for (const [index, other] of inverse.entries()) {
      if (index === pivot) continue;
      const factor = other[pivot] ?? 0;
      other[pivot] = 0;
      for (let column = 0; column < row.length; column++)
        other[column] = (other[column] ?? 0) - factor * (row[column] ?? 0);
    }
  }
  return { inverse, logDeterminant };
}
