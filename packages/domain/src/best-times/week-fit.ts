import { HOURS_PER_WEEK } from '../dates/local-hours.ts';

/**
 * A prior for the 168 hours of a week. The value of each hour is the sum of three effects: an effect of the hour of the
 * day, an effect of the day of the week, and a local effect that the hour shares with the hours around it. Numbers are
 * standard deviations of logarithms.
 */
export interface Prior {
  readonly hour: number;
  /**
   * Whether the effect of the hour of the day changes slowly over the day. Otherwise, most of this effect is
   * independent for each hour.
   */
  readonly isSmooth: boolean;
  readonly local: number;
}

const DAY_DEVIATION = 0.05;

/** Correlation of the local effects of two adjacent hours. */
const NEAR = Math.exp(-1 / 2);

const HOURS = 24;
const EFFECTS = HOURS + 7;

/**
 * Gaussian processes on the circle of 24 hours: `length` is the length of the kernel, and `own` is the share that is
 * independent for each hour.
 */
const PROCESSES = { smooth: { length: 0.8, own: 0.1 }, rough: { length: 0.4, own: 0.7 } } as const;

/** The kernels that have been needed. They aren't computed in advance, because every start of the program would wait. */
const kernels = new Map<keyof typeof PROCESSES, Kernel>();

export interface Fit {
  /** Logarithm of the marginal likelihood, except for a constant that all priors share. */
  readonly evidence: number;
  readonly means: Float64Array;
  readonly variances: Float64Array;
  /** The posterior variance of a weighted sum of hours. */
  varianceOf(weights: Float64Array): number;
}

/**
 * Returns the exact posterior of a week whose hours were measured with independent normal errors.
 *
 * The local effect's precision is tridiagonal on the ring of 168 hours, so {@link Ring} integrates it out, and a system
 * of 31 effects remains (Rue and Held, Gaussian Markov Random Fields, 2005, chapter 2).
 *
 * @param precision 0 where an hour wasn't measured
 */
export function fitWeek(measured: Float64Array, precision: Float64Array, prior: Prior): Fit {
  const scale = 1 / (prior.local ** 2 * (1 - NEAR ** 2));
  const [own, off] = [scale * (1 + NEAR ** 2), scale * NEAR];
  const ring = new Ring(
    precision.map((value) => value + own),
    off,
  );
  const followed = ring.solve(precision.map((value, hour) => value * (measured[hour] ?? 0)));
  // How each hour depends on each effect once the hour's local effect is integrated out.
  const remaining = new Float64Array(HOURS_PER_WEEK * EFFECTS);
  for (let effect = 0; effect < EFFECTS; effect++) {
    const shared = ring.solve(precision.map((value, hour) => (hasEffect(hour, effect) ? value : 0)));
    for (let hour = 0; hour < HOURS_PER_WEEK; hour++)
      remaining[hour * EFFECTS + effect] = (hasEffect(hour, effect) ? 1 : 0) - (shared[hour] ?? 0);
  }
  const kernel = kernelOf(prior.isSmooth ? 'smooth' : 'rough');
  const system = priorPrecision(kernel.inverse, prior.hour);
  const right = new Float64Array(EFFECTS);
  let [quadratic, logPrecision] = [0, 0];
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const weight = precision[hour] ?? 0;
    if (weight === 0) continue;
    const rest = weight * ((measured[hour] ?? 0) - (followed[hour] ?? 0));
    quadratic += rest * (measured[hour] ?? 0);
    logPrecision += Math.log(weight);
    for (let nth = 0; nth < 2; nth++) {
      const effect = nth === 0 ? hour % HOURS : dayEffectOf(hour);
      right[effect] = (right[effect] ?? 0) + rest;
      for (let column = 0; column < EFFECTS; column++) {
        const at = effect * EFFECTS + column;
        system[at] = (system[at] ?? 0) + weight * (remaining[hour * EFFECTS + column] ?? 0);
      }
    }
  }
  const factor = new Cholesky(system);
  const half = factor.forward(right);
  const effects = factor.backward(half);
  const logPrior = 2 * HOURS * Math.log(prior.hour) + kernel.logDeterminant + 14 * Math.log(DAY_DEVIATION);
  const logLocal = ring.logDeterminant - logDeterminantOfRing(own, off);
  const evidence = -0.5 * (quadratic - sumOfSquares(half) - logPrecision + logLocal + factor.logDeterminant + logPrior);

  const varianceOf = (weights: Float64Array): number => {
    const local = ring.solve(weights);
    const ofEffects = new Float64Array(EFFECTS);
    let variance = 0;
    for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
      const weight = weights[hour] ?? 0;
      variance += weight * (local[hour] ?? 0);
      for (let effect = 0; effect < EFFECTS; effect++)
        ofEffects[effect] = (ofEffects[effect] ?? 0) + weight * (remaining[hour * EFFECTS + effect] ?? 0);
    }
    return variance + sumOfSquares(factor.forward(ofEffects));
  };
  const [means, variances] = [new Float64Array(HOURS_PER_WEEK), new Float64Array(HOURS_PER_WEEK)];
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const ofEffects = remaining.subarray(hour * EFFECTS, (hour + 1) * EFFECTS);
    let mean = followed[hour] ?? 0;
    for (let effect = 0; effect < EFFECTS; effect++) mean += (ofEffects[effect] ?? 0) * (effects[effect] ?? 0);
    means[hour] = mean;
    variances[hour] = (ring.variances[hour] ?? 0) + sumOfSquares(factor.forward(ofEffects));
  }
  return { evidence, means, variances, varianceOf };
}

const dayEffectOf = (hour: number): number => HOURS + Math.floor(hour / HOURS);

const hasEffect = (hour: number, effect: number): boolean =>
  effect === (effect < HOURS ? hour % HOURS : dayEffectOf(hour));

function sumOfSquares(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += (values[index] ?? 0) ** 2;
  return sum;
}

/** Returns the prior precision of the effects, in row-major order. */
function priorPrecision(inverse: readonly Float64Array[], deviation: number): Float64Array {
  const system = new Float64Array(EFFECTS * EFFECTS);
  for (const [row, values] of inverse.entries())
    for (const [column, value] of values.entries()) system[row * EFFECTS + column] = value / deviation ** 2;
  for (let day = HOURS; day < EFFECTS; day++) system[day * EFFECTS + day] = 1 / DAY_DEVIATION ** 2;
  return system;
}

/**
 * A symmetric positive definite matrix of 168 rows. Outside its diagonal, it is 0, except for `-off` next to the
 * diagonal and in two corners.
 */
class Ring {
  readonly logDeterminant: number;
  /** The diagonal of the inverse. */
  readonly variances = new Float64Array(HOURS_PER_WEEK);
  readonly #pivots = new Float64Array(HOURS_PER_WEEK);
  readonly #below = new Float64Array(HOURS_PER_WEEK);
  readonly #closing = new Float64Array(HOURS_PER_WEEK);
  readonly #corner: number;
  readonly #factor: number;

  /**
   * Factorises the matrix. Apart from the two corners, the matrix is tridiagonal; the corners are a correction of rank
   * 1 (Sherman and Morrison).
   */
  constructor(diagonal: Float64Array, off: number) {
    const last = HOURS_PER_WEEK - 1;
    const first = diagonal[0] ?? 1;
    this.#corner = off / first;
    let logDeterminant = 0;
    for (let hour = 0; hour <= last; hour++) {
      let pivot = diagonal[hour] ?? 1;
      if (hour === 0) pivot += first;
      else pivot -= off ** 2 / (this.#pivots[hour - 1] ?? 1);
      if (hour === last) pivot += first * this.#corner ** 2;
      this.#pivots[hour] = pivot;
      this.#below[hour] = -off / pivot;
      logDeterminant += Math.log(pivot);
    }
    this.#closing[0] = 1;
    this.#closing[last] = this.#corner;
    this.#solveOpen(this.#closing);
    const rest = 1 - first * ((this.#closing[0] ?? 0) + this.#corner * (this.#closing[last] ?? 0));
    this.#factor = -first / rest;
    this.logDeterminant = logDeterminant + Math.log(rest);
    let next = 0;
    for (let hour = last; hour >= 0; hour--) {
      const below = hour < last ? (this.#below[hour] ?? 0) : 0;
      next = 1 / (this.#pivots[hour] ?? 1) + below ** 2 * next;
      this.variances[hour] = next - this.#factor * (this.#closing[hour] ?? 0) ** 2;
    }
  }

  solve(right: Float64Array): Float64Array {
    const solved = right.slice();
    this.#solveOpen(solved);
    const correction = this.#factor * ((solved[0] ?? 0) + this.#corner * (solved[HOURS_PER_WEEK - 1] ?? 0));
    for (let hour = 0; hour < HOURS_PER_WEEK; hour++)
      solved[hour] = (solved[hour] ?? 0) - correction * (this.#closing[hour] ?? 0);
    return solved;
  }

  #solveOpen(values: Float64Array): void {
    let previous = values[0] ?? 0;
    for (let hour = 1; hour < HOURS_PER_WEEK; hour++) {
      previous = (values[hour] ?? 0) - (this.#below[hour - 1] ?? 0) * previous;
      values[hour] = previous;
    }
    let next = 0;
    for (let hour = HOURS_PER_WEEK - 1; hour >= 0; hour--) {
      const below = hour < HOURS_PER_WEEK - 1 ? (this.#below[hour] ?? 0) : 0;
      next = (values[hour] ?? 0) / (this.#pivots[hour] ?? 1) - below * next;
      values[hour] = next;
    }
  }
}

/**
 * Returns the log-determinant of a circulant matrix, whose eigenvalues are known. The matrix has `own` on the diagonal
 * and `-off` between adjacent hours; the last hour of the week is adjacent to the first.
 */
function logDeterminantOfRing(own: number, off: number): number {
  let sum = 0;
  for (let nth = 0; nth < HOURS_PER_WEEK; nth++)
    sum += Math.log(own - 2 * off * Math.cos((2 * Math.PI * nth) / HOURS_PER_WEEK));
  return sum;
}

/** The lower triangular factor of a positive definite matrix, which it overwrites. */
class Cholesky {
  readonly logDeterminant: number;

  constructor(private readonly matrix: Float64Array) {
    let logDeterminant = 0;
    for (let row = 0; row < EFFECTS; row++)
      for (let column = 0; column <= row; column++) {
        let value = matrix[row * EFFECTS + column] ?? 0;
        for (let inner = 0; inner < column; inner++)
          value -= (matrix[row * EFFECTS + inner] ?? 0) * (matrix[column * EFFECTS + inner] ?? 0);
        if (row > column) matrix[row * EFFECTS + column] = value / (matrix[column * EFFECTS + column] ?? 1);
        else {
          matrix[row * EFFECTS + row] = Math.sqrt(value);
          logDeterminant += Math.log(value);
        }
      }
    this.logDeterminant = logDeterminant;
  }

  forward(right: Float64Array): Float64Array {
    const solved = right.slice();
    for (let row = 0; row < EFFECTS; row++) {
      let value = solved[row] ?? 0;
      for (let column = 0; column < row; column++)
        value -= (this.matrix[row * EFFECTS + column] ?? 0) * (solved[column] ?? 0);
      solved[row] = value / (this.matrix[row * EFFECTS + row] ?? 1);
    }
    return solved;
  }

  backward(right: Float64Array): Float64Array {
    const solved = right.slice();
    for (let row = EFFECTS - 1; row >= 0; row--) {
      let value = solved[row] ?? 0;
      for (let below = row + 1; below < EFFECTS; below++)
        value -= (this.matrix[below * EFFECTS + row] ?? 0) * (solved[below] ?? 0);
      solved[row] = value / (this.matrix[row * EFFECTS + row] ?? 1);
    }
    return solved;
  }
}

interface Kernel {
  readonly inverse: readonly Float64Array[];
  readonly logDeterminant: number;
}

function kernelOf(name: keyof typeof PROCESSES): Kernel {
  const kernel = kernels.get(name) ?? computeKernel(PROCESSES[name]);
  kernels.set(name, kernel);
  return kernel;
}

function computeKernel({ length, own }: { readonly length: number; readonly own: number }): Kernel {
  const inverse = Array.from({ length: HOURS }, (_, one) =>
    Float64Array.from({ length: HOURS }, (_, other) => {
      const distance = Math.sin((Math.PI * (one - other)) / HOURS) / length;
      return (1 - own) * Math.exp(-2 * distance ** 2) + (one === other ? own : 0);
    }),
  );
  let logDeterminant = 0;
  // Gauss-Jordan elimination in place.
  for (const [pivot, row] of inverse.entries()) {
    const divisor = row[pivot] ?? 1;
    logDeterminant += Math.log(divisor);
    row[pivot] = 1;
    for (const [column, value] of row.entries()) row[column] = value / divisor;
    for (const other of inverse) {
      if (other === row) continue;
      const factor = other[pivot] ?? 0;
      other[pivot] = 0;
      for (const [column, value] of row.entries()) other[column] = (other[column] ?? 0) - factor * value;
    }
  }
  return { inverse, logDeterminant };
}
