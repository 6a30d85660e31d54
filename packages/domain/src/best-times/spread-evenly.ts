import type { TimeWindow } from './best-times-repository.ts';
import type { LocalHour } from './local-hour.ts';
import { EPOCH_HOUR_OF_WEEK, HOURS_PER_WEEK } from './local-hours.ts';
import type { SlotWishes } from './slot-wishes.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const WEEK = HOURS_PER_WEEK * HOUR;

/** How suggestions are spread: one in each stretch of so many allowed hours, near its middle. */
interface Spread {
  /** Allowed hours. */
  readonly stretch: number;
  /** By how many of them a suggestion may be off the middle, so that two are far enough from each other. */
  readonly leeway: number;
  /** Milliseconds that a stretch has at most. */
  readonly reach: number;
  readonly allowed: readonly number[];
}

export function spreadOf({ window, count, minGapMinutes, excluded }: SlotWishes): Spread {
  const allowed = Array.from({ length: HOURS_PER_WEEK }, (_, hour) => hour).filter((hour) => !excluded.has(hour));
  const within = ((window.to - window.from) / WEEK) * allowed.length;
  const hours = Math.ceil((minGapMinutes * MINUTE) / HOUR);
  // So many allowed hours later it is so much later at least: whole weeks have all of them.
  const gap = Math.floor(hours / HOURS_PER_WEEK) * allowed.length + Math.min(hours % HOURS_PER_WEEK, allowed.length);
  const stretch = Math.max(1, gap, Math.floor(within / count));
  const reach = (Math.ceil(stretch / Math.max(1, allowed.length)) + 1) * WEEK;
  return { stretch, leeway: Math.floor((stretch - gap) / 2), reach, allowed };
}

/**
 * One free hour for each stretch of allowed hours, counted from 1970, so that they stay where they are while the window moves
 * on, and can be waited for. The earliest first.
 *
 * @param candidatesWithin free and allowed hours, rising
 */
export function spreadEvenly<Hour extends LocalHour>(
  wishes: SlotWishes,
  candidatesWithin: (window: TimeWindow) => readonly Hour[],
): readonly Hour[] {
  const { window, count, minGapMinutes } = wishes;
  const { stretch, leeway, reach, allowed } = spreadOf(wishes);
  const ranks = new Map(allowed.map((hour, rank) => [hour, rank]));
  const chosen = new Map<number, { readonly hour: Hour; readonly off: number }>();
  for (const hour of candidatesWithin({ from: window.from - reach, to: window.to + reach })) {
    const week = Math.floor((hour.clock + EPOCH_HOUR_OF_WEEK) / HOURS_PER_WEEK);
    const nth = week * allowed.length + (ranks.get(hour.hourOfWeek) ?? 0);
    const number = Math.floor(nth / stretch);
    const off = Math.abs(nth - number * stretch - Math.floor(stretch / 2));
    const best = chosen.get(number);
    if (off <= leeway && (!best || off < best.off)) chosen.set(number, { hour, off });
  }
  // Clocks that are set forward bring two an hour closer.
  const spread: Hour[] = [];
  for (const { hour } of chosen.values()) {
    const last = spread.at(-1);
    if (!last || hour.at - last.at >= minGapMinutes * MINUTE) spread.push(hour);
  }
  return spread.filter(({ at }) => at >= window.from && at <= window.to).slice(0, count);
}
