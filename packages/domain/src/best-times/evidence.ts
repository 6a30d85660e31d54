import { HOURS_PER_WEEK } from './local-hours.ts';
import { cellsOf, type Sample } from './sample.ts';

export const EVIDENCE = ['none', 'weak', 'fair', 'strong'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** p below it. */
const LEVELS = [
  ['strong', 0.001],
  ['fair', 0.01],
  ['weak', 0.05],
] as const;

const PERMUTATIONS = 1000;

/** Enough permutations at least as extreme to know that p is large (Besag and Clifford, Biometrika 78, 1991). */
const ENOUGH = 20;

/** By distance in hours of the day: neighbours are alike. */
const ALIKE = Float64Array.from({ length: 24 }, (_, hour) => likeness(hour));

/** Of two hours of the day, from 0 to 1. */
export function likeness(distance: number): number {
  const around = Math.min(distance, 24 - distance);
  return Math.exp(-(around * around) / 4.5);
}

/** How sure it is that hours matter: the true hours against permuted ones. The same posts give the same answer. */
export function evidenceOf({ hours, values }: Sample): Evidence {
  const deviation = Math.sqrt(squares(values) / values.length);
  if (!(deviation > 0)) return 'none';
  const shuffled = values.map((value) => value / deviation);
  const { counts, sums: given } = cellsOf(hours, shuffled);
  const random = randomFrom(hours.length);
  const measure = departure(counts);
  const real = measure(given);
  const sums = new Float64Array(HOURS_PER_WEEK);
  let extreme = 0;
  let done = 0;
  while (done < PERMUTATIONS && extreme < ENOUGH) {
    sums.fill(0);
    for (let last = shuffled.length - 1; last >= 0; last--) {
      const other = Math.floor(random() * (last + 1));
      const value = shuffled[other] ?? 0;
      shuffled[other] = shuffled[last] ?? 0;
      shuffled[last] = value;
      const hour = hours[last] ?? 0;
      sums[hour] = (sums[hour] ?? 0) + value;
    }
    done += 1;
    if (measure(sums) >= real) extreme += 1;
  }
  const p = extreme === ENOUGH ? extreme / done : (extreme + 1) / (done + 1);
  return LEVELS.find(([, level]) => p < level)?.[0] ?? 'none';
}

/** Of values of variance 1: the largest score statistic for differences between hours of the day (smooth ones, or any), days, or cells. */
function departure(counts: Float64Array): (sums: Float64Array) => number {
  const [ofHours, ofDays] = [fold(counts, 24), foldDays(counts)];
  const spreads = [alike(ofHours, true), squares(ofHours), squares(ofDays), squares(counts)].map((spread) =>
    Math.sqrt(2 * spread),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (sums) => {
    const hourSums = fold(sums, 24);
    const found = [alike(hourSums, false), squares(hourSums), squares(foldDays(sums)), squares(sums)];
    return Math.max(...found.map((value, index) => (value - total) / (spreads[index] || 1)));
  };
}

const squares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0);

function fold(week: Float64Array, length: number): Float64Array {
  const folded = new Float64Array(length);
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++)
    folded[hour % length] = (folded[hour % length] ?? 0) + (week[hour] ?? 0);
  return folded;
}

function foldDays(week: Float64Array): Float64Array {
  const folded = new Float64Array(7);
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const day = Math.floor(hour / 24);
    folded[day] = (folded[day] ?? 0) + (week[hour] ?? 0);
  }
  return folded;
}

function alike(hours: Float64Array, squared: boolean): number {
  let sum = 0;
  for (let one = 0; one < 24; one++)
    for (let other = 0; other < 24; other++) {
      const weight = ALIKE[Math.abs(one - other)] ?? 0;
      sum += (squared ? weight * weight : weight) * (hours[one] ?? 0) * (hours[other] ?? 0);
    }
  return sum;
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
