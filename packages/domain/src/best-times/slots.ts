import type { TimeWindow } from './best-times-repository.ts';
import type { Estimate, HourEstimate } from './estimate.ts';
import type { LocalHours } from './local-hours.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const SLOTS = { count: 5, mostCount: 50, minGapMinutes: 120, days: 7, mostDays: 60 } as const;

export const KINDS = ['proven', 'explore'] as const;
export type SlotKind = (typeof KINDS)[number];

export interface Slot extends HourEstimate {
  /** The start of a local hour. */
  readonly at: number;
  readonly hourOfWeek: number;
  readonly kind: SlotKind;
  readonly reason: string;
}

export interface SlotWishes {
  readonly window: TimeWindow;
  readonly count: number;
  readonly minGapMinutes: number;
  /** Hours of the week. */
  readonly excluded: ReadonlySet<number>;
}

/** From now on, a week unless it is given. A text says what is wrong. */
export function slotWindow(
  { from, to }: Partial<TimeWindow>,
  now: number,
): TimeWindow | { readonly field: 'from' | 'to'; readonly problem: string } {
  const latest = now + SLOTS.mostDays * DAY;
  const problem = `must be a date at most ${SLOTS.mostDays} days ahead.`;
  const start = Math.max(from ?? now, now);
  if (start > latest) return { field: 'from', problem };
  if (to === undefined) return { from: start, to: Math.min(start + SLOTS.days * DAY, latest) };
  if (to > latest) return { field: 'to', problem };
  return to < start ? { field: 'to', problem: 'must be a date in the future.' } : { from: start, to };
}

interface Candidate {
  readonly at: number;
  readonly hourOfWeek: number;
  readonly hour: HourEstimate;
}

/** One in five is for hours of which little is known. */
const EXPLORED = 5;

/**
 * Instants to post, best first; spread evenly where hours don't matter as far as one can tell.
 *
 * @param planned posts' instants, from which slots keep their distance, too
 */
export function suggestSlots(
  { hours, evidence }: Estimate,
  local: LocalHours,
  { window, count, minGapMinutes, excluded }: SlotWishes,
  planned: readonly number[],
): readonly Slot[] {
  const gap = minGapMinutes * MINUTE;
  const taken = [...planned];
  const isFree = ({ at }: Candidate): boolean => taken.every((other) => at !== other && Math.abs(at - other) >= gap);
  const candidates = localHoursWithin(window, local).flatMap(({ at, hourOfWeek }): Candidate[] => {
    const hour = hours[hourOfWeek];
    return hour && !excluded.has(hourOfWeek) ? [{ at, hourOfWeek, hour }] : [];
  });
  const take = (ordered: readonly Candidate[], most: number, describe: (hour: HourEstimate) => Described): Slot[] => {
    const slots: Slot[] = [];
    for (const candidate of ordered) {
      if (slots.length >= most) break;
      if (!isFree(candidate)) continue;
      taken.push(candidate.at);
      const { at, hourOfWeek, hour } = candidate;
      slots.push({ at, hourOfWeek, ...hour, ...describe(hour) });
    }
    return slots;
  };
  const by = (rank: (hour: HourEstimate) => number) =>
    candidates.toSorted((one, other) => rank(other.hour) - rank(one.hour) || one.at - other.at);
  if (evidence === 'none') return spreadEvenly(candidates.filter(isFree), window, count, take);
  const known = by(({ score }) => score);
  const best = take(known, count - Math.floor(count / EXPLORED), describeKnown);
  const open = by(({ low, high }) => high - low);
  return [...best, ...take(open, count - best.length, () => describeUnknown())];
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

/**
 * The free hours nearest to points that are equally far from each other. They stay where they are while the window moves
 * on, so that a suggestion can be waited for.
 */
function spreadEvenly(
  candidates: readonly Candidate[],
  { from, to }: TimeWindow,
  count: number,
  take: (ordered: readonly Candidate[], most: number, describe: () => Described) => Slot[],
): readonly Slot[] {
  const hours = Math.max(1, Math.floor((to - from) / count / HOUR));
  const [distance, offset] = [hours * HOUR, Math.floor(hours / 2) * HOUR];
  const first = Math.ceil((from - offset) / distance) * distance + offset;
  return Array.from({ length: count }, (_, part) => first + part * distance)
    .flatMap((point) => {
      const near = candidates.toSorted((one, other) => Math.abs(one.at - point) - Math.abs(other.at - point));
      return take(near, 1, describeSpread);
    })
    .sort((one, other) => one.at - other.at);
}

/** Starts of local hours; hours that clocks skip aren't there, repeated ones are once. */
function localHoursWithin({ from, to }: TimeWindow, local: LocalHours): readonly { at: number; hourOfWeek: number }[] {
  const starts: { at: number; hourOfWeek: number }[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = from; at <= to; ) {
    const clock = at + local.offset(at);
    const past = ((clock % HOUR) + HOUR) % HOUR;
    if (past !== 0) {
      const start = at + HOUR - past;
      // Clocks may change by less than an hour on the way.
      at = local.offset(start) === local.offset(at) ? start : nextQuarter(at);
      continue;
    }
    if (clock > latest) starts.push({ at, hourOfWeek: local.at(at) });
    latest = Math.max(latest, clock);
    at += 15 * MINUTE;
  }
  return starts;
}

const nextQuarter = (at: number): number => (Math.floor(at / (15 * MINUTE)) + 1) * 15 * MINUTE;
