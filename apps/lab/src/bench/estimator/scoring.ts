import type { Estimate } from './estimators.ts';
import { type Curve, isDaytime } from './world.ts';

/** How well an estimate orders the hours: Spearman's rank correlation with the truth, equal values sharing their rank. */
export function rankCorrelation(estimate: Estimate, truth: Curve): number {
  const [a, b] = [ranks(estimate.filter(isDaytime)), ranks(truth.filter(isDaytime))];
  const middle = (a.length - 1) / 2;
  let [both, ofA, ofB] = [0, 0, 0];
  for (const [index, rank] of a.entries()) {
    const [x, y] = [rank - middle, (b[index] ?? middle) - middle];
    both += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  // An estimate of equal values has no order.
  return ofA === 0 || ofB === 0 ? 0 : both / Math.sqrt(ofA * ofB);
}

/** From 0; equal values share the mean of their ranks. */
function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const found = new Array<number>(values.length).fill(0);
  let start = 0;
  while (start < order.length) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1] ?? 0] === values[order[start] ?? 0]) end++;
    for (let nth = start; nth <= end; nth++) found[order[nth] ?? 0] = (start + end) / 2;
    start = end + 1;
  }
  return found;
}

/**
 * The loss from posting at the hour that the estimate calls best: the share of the best hour's true value that the chosen
 * hour lacks, 0 to 1; the mean where several hours are called best.
 */
export function regret(estimate: Estimate, truth: Curve): number {
  const [called, real] = [estimate.filter(isDaytime), truth.filter(isDaytime)];
  const highest = Math.max(...called);
  const chosen = real.filter((_, index) => called[index] === highest);
  const worth = chosen.reduce((sum, value) => sum + value, 0) / chosen.length;
  return 1 - worth / Math.max(...real);
}
