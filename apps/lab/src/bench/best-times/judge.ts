import { type Estimate, estimate, localHours, type ProfilePosts, suggestSlots } from '@postshelf/domain';
import { Random } from '@postshelf/harness';
import { type Kind, makeWorld, NOW } from './worlds.ts';

const WEEK = 168 * 60 * 60 * 1000;

const hours = localHours('UTC');

/** The results for one kind of world, averaged over all worlds of that kind. */
export interface Verdict {
  /**
   * The share of the possible gain that the five suggested hours miss: 0 if they are the best hours, 1 if they are no
   * better than the average hour.
   */
  readonly regret: number;
  /** The regret of a simple method, which scores an hour by its mean logarithm, shrunk by the factor `n ÷ (n + 2)`. */
  readonly naiveRegret: number;
  readonly rootMeanSquareError: number;
  /** The share of hours whose true value lies within the interval that the estimate gives for the hour. */
  readonly held: number;
  /** The share of the five suggested hours whose true value lies within the interval. */
  readonly heldOfFive: number;
  /** The share of the five suggested hours whose true value lies below the interval. */
  readonly below: number;
  /** The share of worlds whose evidence counts as fair or strong. */
  readonly fair: number;
  readonly strong: number;
}

export function judge(kind: Kind, worlds: number): Verdict {
  const sums = {
    missed: 0,
    missedNaively: 0,
    possible: 0,
    error: 0,
    held: 0,
    heldOfFive: 0,
    below: 0,
    fair: 0,
    strong: 0,
  };
  for (let seed = 1; seed <= worlds; seed++) {
    const { truth, profiles } = makeWorld(new Random(seed * 7919), kind);
    const found = estimate(profiles, hours);
    const truthOf = (chosen: readonly number[]): number => mean(chosen.map((hour) => truth[hour] ?? 0));
    const best = truthOf(bestOf(truth));
    const five = fiveOf(found);
    sums.possible += best - 100;
    sums.missed += best - truthOf(five);
    sums.missedNaively += best - truthOf(bestOf(naiveScores(profiles)));
    const errors = found.hours.map(({ score }, hour) => (score - (truth[hour] ?? 0)) ** 2);
    sums.error += Math.sqrt(mean(errors));
    const isHeld = (hour: number): number => {
      const { low = 0, high = 0 } = found.hours[hour] ?? {};
      return Number(low <= (truth[hour] ?? 0) && (truth[hour] ?? 0) <= high);
    };
    sums.held += mean(truth.map((_, hour) => isHeld(hour)));
    sums.heldOfFive += mean(five.map(isHeld));
    sums.below += mean(five.map((hour) => Number((truth[hour] ?? 0) < (found.hours[hour]?.low ?? 0))));
    if (found.evidence === 'fair' || found.evidence === 'strong') sums.fair += 1;
    if (found.evidence === 'strong') sums.strong += 1;
  }
  return {
    regret: sums.missed / sums.possible,
    naiveRegret: sums.missedNaively / sums.possible,
    rootMeanSquareError: sums.error / worlds,
    held: sums.held / worlds,
    heldOfFive: sums.heldOfFive / worlds,
    below: sums.below / worlds,
    fair: sums.fair / worlds,
    strong: sums.strong / worlds,
  };
}

/** Returns five suggested hours of the week. Neighbouring hours are allowed, because the best five may be adjacent. */
const fiveOf = (found: Estimate): readonly number[] =>
  suggestSlots(
    found,
    hours,
    { window: { from: NOW, to: NOW + WEEK - 1 }, count: 5, minGapMinutes: 0, excluded: new Set() },
    [],
  ).map(({ hourOfWeek }) => hourOfWeek);

const bestOf = (scores: readonly number[]): readonly number[] =>
  Array.from(scores.keys())
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0))
    .slice(0, 5);

function naiveScores(profiles: readonly ProfilePosts[]): readonly number[] {
  const [counts, sums] = [new Array<number>(168).fill(0), new Array<number>(168).fill(0)];
  for (const { at, engagement } of profiles) {
    const values = Array.from(engagement, Math.log1p);
    const usual = mean(values);
    for (const [index, value] of values.entries()) {
      const hour = hours.at(at[index] ?? 0);
      counts[hour] = (counts[hour] ?? 0) + 1;
      sums[hour] = (sums[hour] ?? 0) + value - usual;
    }
  }
  return sums.map((value, hour) => value / ((counts[hour] ?? 0) + 2));
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
