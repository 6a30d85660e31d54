import type { LocalHours } from '../dates/local-hours.ts';
import { emptyWeek } from './heatmap.ts';

/** Posts of one profile: the publication times in milliseconds, and the engagement of each post. */
export interface ProfilePosts {
  readonly at: Float64Array;
  readonly engagement: Float64Array;
}

/**
 * Posts by hour of the week. Values are logarithms of factors: 0 means the engagement that the profile usually got at
 * around the same date, and 0.7 means twice as much.
 */
export interface WeekOfPosts {
  readonly counts: Float64Array;
  /** Weighted mean of the values in an hour; 0 without posts. */
  readonly means: Float64Array;
  /** The variance of an hour's mean that comes from the differences between posts; 0 where nothing can be learned. */
  readonly noise: Float64Array;
  readonly posts: number;
  /** Number of posts that aren't used, because their profiles have too few posts to compare. */
  readonly leftOut: number;
}

/** Minimum number of posts that a profile needs, so that its posts can be compared. */
export const MIN_POSTS = 5;

/**
 * The weights of the priors, as numbers of posts: `profile` pulls a profile's variance towards that of all profiles,
 * `hour` pulls the variance within hours towards the variance of all posts.
 */
const PRIOR_POSTS = { profile: 10, hour: 100 } as const;

/** Compares each post with those of its own profile (docs/decisions/22-best-times.md, "Values of posts"). */
export function weekOf(profiles: readonly ProfilePosts[], hours: LocalHours): WeekOfPosts {
  const large = profiles.filter(({ at }) => at.length >= MIN_POSTS);
  const valued = large.map((posts) => ({ ...valuesOf(posts), at: posts.at }));
  const informative = valued.filter(({ variance }) => variance > 0);
  const pooled = weightedMean(informative.map(({ at, variance }) => [at.length, variance]));
  const [counts, weights, means] = [emptyWeek(), emptyWeek(), emptyWeek()];
  let [posts, compared, squares] = [0, 0, 0];
  for (const { at, values, variance } of valued) {
    // A profile whose posts are all equal says nothing about hours.
    const weight =
      variance > 0
        ? 1 /
          weightedMean([
            [at.length, variance],
            [PRIOR_POSTS.profile, pooled],
          ])
        : 0;
    posts += at.length;
    if (weight > 0) compared += at.length;
    for (let index = 0; index < at.length; index++) {
      const hour = hours.at(at[index] ?? 0);
      const value = values[index] ?? 0;
      counts[hour] = (counts[hour] ?? 0) + 1;
      weights[hour] = (weights[hour] ?? 0) + weight;
      means[hour] = (means[hour] ?? 0) + weight * value;
      squares += weight * value * value;
    }
  }
  let [between, filled] = [0, 0];
  for (const [hour, weight] of weights.entries()) {
    if (weight === 0) continue;
    filled += 1;
    means[hour] = (means[hour] ?? 0) / weight;
    between += weight * (means[hour] ?? 0) ** 2;
  }
  const within = Math.max(0, squares - between);
  const overall = squares / Math.max(1, compared);
  const spread = (within + PRIOR_POSTS.hour * overall) / (compared - filled + PRIOR_POSTS.hour);
  const noise = weights.map((weight) => (weight > 0 ? spread / weight : 0));
  const all = profiles.reduce((sum, { at }) => sum + at.length, 0);
  return { counts, means, noise, posts, leftOut: all - posts };
}

function weightedMean(pairs: readonly (readonly [weight: number, value: number])[]): number {
  let [sum, total] = [0, 0];
  for (const [weight, value] of pairs) {
    sum += weight * value;
    total += weight;
  }
  return total === 0 ? 0 : sum / total;
}

/** Limit for a post's value in robust standard deviations, so that one viral post doesn't make an hour look good. */
const TAMED_AT = 3;

/** Standard deviations of a normal distribution per median absolute deviation. */
const DEVIATION = 1.4826;

interface Values {
  readonly values: Float64Array;
  readonly variance: number;
}

function valuesOf({ at, engagement }: ProfilePosts): Values {
  const positive = engagement.filter((count) => count > 0);
  if (positive.length === 0) return { values: new Float64Array(at.length), variance: 0 };
  const { offset, slope } = scaleOf(engagement, median(positive));
  const values = new Float64Array(at.length);
  for (let index = 0; index < values.length; index++) values[index] = Math.log1p((engagement[index] ?? 0) / offset);
  removeTrend(values, at);
  const distances = values.slice();
  const middle = median(distances);
  for (let index = 0; index < values.length; index++) distances[index] = Math.abs((values[index] ?? 0) - middle);
  const spread = DEVIATION * median(distances);
  // A spread of 0 means that more than half of the values are equal.
  const limit = spread > 0 ? TAMED_AT * spread : Number.POSITIVE_INFINITY;
  let mean = 0;
  for (let index = 0; index < values.length; index++) {
    const tamed = Math.min(middle + limit, Math.max(middle - limit, values[index] ?? 0));
    values[index] = tamed;
    mean += tamed / values.length;
  }
  let variance = 0;
  for (let index = 0; index < values.length; index++) {
    const value = ((values[index] ?? 0) - mean) / slope;
    values[index] = value;
    variance += (value * value) / values.length;
  }
  // A smaller variance is only the rounding error of equal values.
  return variance > 1e-12 ? { values, variance } : { values: values.fill(0), variance: 0 };
}

/**
 * Offsets to try for the logarithm, as multiples of the median of the positive counts. With a small offset, small
 * counts remain distinct; with a large one, zeros aren't outliers.
 */
const OFFSETS = [1, 0.3, 0.1, 3] as const;
const CLEARLY_BETTER = 1.05;
const LOOKED_AT = 2000;

/**
 * Chooses the offset at which a factor stands out best from the noise. `slope` says by how much the logarithm of `1 +
 * count / offset` changes on average when the logarithm of the count changes by 1. Dividing by it turns differences
 * into factors.
 */
function scaleOf(engagement: Float64Array, usual: number): { readonly offset: number; readonly slope: number } {
  const step = Math.ceil(engagement.length / LOOKED_AT);
  let best = { offset: usual, slope: 1, clarity: 0 };
  for (const multiple of OFFSETS) {
    const offset = multiple * usual;
    let [posts, sum, squares, slopes] = [0, 0, 0, 0];
    for (let index = 0; index < engagement.length; index += step) {
      const count = engagement[index] ?? 0;
      const value = Math.log1p(count / offset);
      posts += 1;
      sum += value;
      squares += value * value;
      slopes += count / (count + offset);
    }
    const [variance, slope] = [squares / posts - (sum / posts) ** 2, slopes / posts];
    const clarity = variance > 1e-12 ? slope ** 2 / variance : 0;
    if (multiple === 1 || clarity > CLEARLY_BETTER * best.clarity) best = { offset, slope: slope || 1, clarity };
  }
  return best;
}

/** Prior standard deviations of the Legendre polynomials of degrees 1 to 3 over the window. */
const TREND = [0.6, 0.3, 0.2] as const;

/** Subtracts a smooth trend, so that the hours in which a growing account posted lately don't look better. */
function removeTrend(values: Float64Array, at: Float64Array): void {
  let [first, last, sum, squares] = [Number.POSITIVE_INFINITY, 0, 0, 0];
  for (let index = 0; index < at.length; index++) {
    const instant = at[index] ?? 0;
    const value = values[index] ?? 0;
    first = Math.min(first, instant);
    last = Math.max(last, instant);
    sum += value;
    squares += value * value;
  }
  const mean = sum / at.length;
  const variance = Math.max(0, squares / at.length - mean * mean);
  const length = last - first;
  if (length === 0 || variance === 0) return;
  // Symmetric normal equations: sums of products of 1, p1, p2, p3, and of these with the values.
  let [n1, n2, n3, n11, n12, n13, n22, n23, n33] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  let [v1, v2, v3] = [0, 0, 0];
  for (let index = 0; index < at.length; index++) {
    const x = (2 * ((at[index] ?? 0) - first)) / length - 1;
    const p2 = 1.5 * x * x - 0.5;
    const p3 = (2.5 * x * x - 1.5) * x;
    const value = (values[index] ?? 0) - mean;
    n1 += x;
    n2 += p2;
    n3 += p3;
    n11 += x * x;
    n12 += x * p2;
    n13 += x * p3;
    n22 += p2 * p2;
    n23 += p2 * p3;
    n33 += p3 * p3;
    v1 += x * value;
    v2 += p2 * value;
    v3 += p3 * value;
  }
  const [r1, r2, r3] = TREND.map((deviation) => variance / deviation ** 2) as [number, number, number];
  const [c0, c1, c2, c3] = solve([
    [at.length, n1, n2, n3, 0],
    [n1, n11 + r1, n12, n13, v1],
    [n2, n12, n22 + r2, n23, v2],
    [n3, n13, n23, n33 + r3, v3],
  ]);
  for (let index = 0; index < at.length; index++) {
    const x = (2 * ((at[index] ?? 0) - first)) / length - 1;
    const trend = c0 + c1 * x + c2 * (1.5 * x * x - 0.5) + c3 * (2.5 * x * x - 1.5) * x;
    values[index] = (values[index] ?? 0) - trend;
  }
}

/**
 * Solves equations by Gauss-Jordan elimination. Each row ends with the right-hand side of the equation. The matrix is
 * positive definite, so no pivoting is needed.
 */
function solve(rows: number[][]): [number, number, number, number] {
  for (const [pivot, row] of rows.entries()) {
    for (const other of rows) {
      if (other === row) continue;
      const factor = (other[pivot] ?? 0) / (row[pivot] ?? 1);
      for (const [column, value] of row.entries()) other[column] = (other[column] ?? 0) - factor * value;
    }
  }
  return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 1)) as [number, number, number, number];
}

/** Returns the median and reorders the values. */
function median(values: Float64Array): number {
  const half = values.length / 2;
  const upper = select(values, Math.floor(half));
  return values.length % 2 === 1 ? upper : (upper + select(values, half - 1)) / 2;
}

/** Returns the value that would be at `nth` if the values were sorted (Hoare's selection). */
function select(values: Float64Array, nth: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((values[left] ?? 0) < pivot) left += 1;
      while ((values[right] ?? 0) > pivot) right -= 1;
      if (left > right) break;
      const swapped = values[left] ?? 0;
      values[left] = values[right] ?? 0;
      values[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (nth <= right) high = right;
    else if (nth >= left) low = left;
    else break;
  }
  return values[nth] ?? 0;
}
