import type { TimeWindow } from './best-times-repository.ts';
import type { Estimate, HourEstimate } from './estimate.ts';
import { type LocalHour, localHoursWithin } from './local-hour.ts';
import type { LocalHours } from './local-hours.ts';
import type { SlotWishes } from './slot-wishes.ts';
import { spreadEvenly, spreadOf } from './spread-evenly.ts';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

export const KINDS = ['proven', 'explore'] as const;
export type SlotKind = (typeof KINDS)[number];

export interface Slot extends HourEstimate {
  /** The start of a local hour. */
  readonly at: number;
  readonly hourOfWeek: number;
  readonly kind: SlotKind;
  readonly reason: string;
}

interface Candidate extends LocalHour {
  readonly hour: HourEstimate;
}

/** One in five is for hours of which little is known. */
const EXPLORED = 5;

/** How long a suggestion that has passed keeps others away, so that those after it stay where they are. */
const REMEMBERED = DAY;

/** Of posts that keep suggestions away. */
export function plannedWindow(wishes: SlotWishes): TimeWindow {
  const around = Math.max(REMEMBERED, spreadOf(wishes).reach) + wishes.minGapMinutes * MINUTE;
  return { from: wishes.window.from - around, to: wishes.window.to + around };
}

/**
 * Instants to post, best first; spread evenly where hours don't matter as far as one can tell.
 *
 * @param planned posts' instants within {@link plannedWindow}, rising, from which slots keep their distance, too
 */
export function suggestSlots(
  { hours, evidence }: Estimate,
  local: LocalHours,
  wishes: SlotWishes,
  planned: readonly number[],
): readonly Slot[] {
  const { window, count, minGapMinutes, excluded } = wishes;
  const gap = minGapMinutes * MINUTE;
  const candidatesWithin = (within: TimeWindow): readonly Candidate[] =>
    localHoursWithin(within, local).flatMap((start): Candidate[] => {
      const hour = hours[start.hourOfWeek];
      return hour && !excluded.has(start.hourOfWeek) && isApart(planned, start.at, gap) ? [{ ...start, hour }] : [];
    });
  if (evidence === 'none')
    return spreadEvenly(wishes, candidatesWithin).map((chosen) => slotOf(chosen, describeSpread()));
  const candidates = candidatesWithin({ from: window.from - Math.min(gap, REMEMBERED), to: window.to });
  const taken: number[] = [];
  const take = (ordered: readonly Candidate[], most: number, describe: (hour: HourEstimate) => Described): Slot[] => {
    const slots: Slot[] = [];
    for (const candidate of ordered) {
      if (slots.length >= most) break;
      if (taken.some((other) => candidate.at === other || Math.abs(candidate.at - other) < gap)) continue;
      taken.push(candidate.at);
      if (candidate.at >= window.from) slots.push(slotOf(candidate, describe(candidate.hour)));
    }
    return slots;
  };
  const by = (rank: (hour: HourEstimate) => number) =>
    candidates.toSorted((one, other) => rank(other.hour) - rank(one.hour) || one.at - other.at);
  const known = by(({ score }) => score);
  const best = take(known, count - Math.floor(count / EXPLORED), describeKnown);
  const open = by(({ low, high }) => high - low);
  return [...best, ...take(open, count - best.length, () => describeUnknown())];
}

const slotOf = ({ at, hourOfWeek, hour }: Candidate, described: Described): Slot => ({
  at,
  hourOfWeek,
  ...hour,
  ...described,
});

/** Whether an instant is at least so far from each of the others, which rise, and none of them. */
function isApart(others: readonly number[], at: number, gap: number): boolean {
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((others[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [others[low - 1], others[low]];
  return (before === undefined || at - before >= gap) && (after === undefined || (after > at && after - at >= gap));
}

interface Described {
  readonly kind: SlotKind;
  readonly reason: string;
}

function describeKnown({ score, low, posts }: HourEstimate): Described {
  const above = Math.round(score - 100);
  const of = posts === 1 ? '1 post' : `${posts} posts`;
  if (low > 100) return { kind: 'proven', reason: `Probably ${above}% above average (${of} in this hour).` };
  if (above > 0)
    return { kind: 'explore', reason: `Possibly ${above}% above average, but not certain yet (${of} in this hour).` };
  return { kind: 'explore', reason: `No better hour is free (${of} in this hour).` };
}

const describeUnknown = (): Described => ({
  kind: 'explore',
  reason: 'Too few posts at this hour to tell: worth a try.',
});

const describeSpread = (): Described => ({
  kind: 'explore',
  reason: 'No hour stands out yet: vary your times to learn more.',
});
