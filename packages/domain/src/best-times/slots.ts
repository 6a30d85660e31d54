import type { TimeWindow } from '../dates/date-range.ts';
import { type LocalHour, localHoursWithin, startOfWeek } from '../dates/local-hour.ts';
import { HOURS_PER_WEEK, type LocalHours } from '../dates/local-hours.ts';
import { type Estimate, type Evidence, type HourEstimate, MIN_AGE_HOURS } from './estimate.ts';
import { MIN_POSTS } from './post-values.ts';
import type { SlotWishes } from './slot-wishes.ts';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;

export const KINDS = ['proven', 'explore'] as const;
type SlotKind = (typeof KINDS)[number];

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

/**
 * Maximum gap in milliseconds between a suggestion and an earlier one whose time has passed. Without this gap, the
 * remaining suggestions would move whenever the time of one passes.
 */
const REMEMBERED = DAY;

/** Returns the window of the posts from which suggestions must keep the minimum gap. */
export function plannedWindow({ window, minGapMinutes }: SlotWishes): TimeWindow {
  const gap = minGapMinutes * MINUTE;
  return { from: window.from - WEEK - REMEMBERED - gap, to: window.to + gap };
}

/**
 * Suggests times to post that are at least the minimum gap apart, best first: by the highest score, then by the larger
 * number of posts, then by the earlier time. Hours of the day at which the profile doesn't post and its audience sleeps
 * are used only if no others are left.
 *
 * @param planned ascending times of posts within {@link plannedWindow}; slots keep the gap to these as well
 */
export function suggestSlots(
  { hours, evidence, posts }: Estimate,
  local: LocalHours,
  { window, count, minGapMinutes, excluded }: SlotWishes,
  planned: readonly number[],
): readonly Slot[] {
  const gap = minGapMinutes * MINUTE;
  const passedGap = Math.min(gap, REMEMBERED);
  // Slots are always chosen from the start of the week on, so that later slots keep their times as the week passes.
  const from = startOfWeek(window.from, local) - passedGap;
  const candidates = localHoursWithin({ from, to: window.to }, local).flatMap((start): Candidate[] => {
    const hour = hours[start.hourOfWeek];
    return hour && !excluded.has(start.hourOfWeek) && isApart(planned, start.at, gap) ? [{ ...start, hour }] : [];
  });
  const usable = usableHours(hours);
  const isUsable = ({ hourOfWeek }: Candidate): boolean => usable.has(hourOfWeek % 24);
  const ranked = candidates.toSorted(byRank);
  const taken: number[] = [];
  const chosen: Candidate[] = [];
  for (const candidate of [...ranked.filter(isUsable), ...ranked.filter((other) => !isUsable(other))]) {
    if (chosen.length >= count) break;
    const { at } = candidate;
    const isTaken = taken.some((other) => {
      const needed = Math.min(at, other) < window.from ? passedGap : gap;
      return at === other || Math.abs(at - other) < needed;
    });
    if (isTaken) continue;
    taken.push(at);
    if (at >= window.from) chosen.push(candidate);
  }
  return chosen.toSorted(byRank).map(({ at, hourOfWeek, hour }) => ({
    ...hour,
    at,
    hourOfWeek,
    kind: hour.low > 100 ? 'proven' : 'explore',
    reason: posts === 0 ? NOTHING_LEARNED : reasonFor(hour, evidence),
  }));
}

const NOTHING_LEARNED = `Nothing to learn from yet: a profile needs ${MIN_POSTS} posts with metrics that are older than ${MIN_AGE_HOURS} hours.`;

const byRank = (one: Candidate, other: Candidate): number =>
  other.hour.score - one.hour.score || other.hour.posts - one.hour.posts || one.at - other.at;

/** Local hours of the day at which an audience is awake: from 7:00 to 23:00. */
const AWAKE = { from: 7, to: 23 } as const;

/** Returns the hours of the day at which the audience is awake or the profile posts. */
function usableHours(hours: readonly HourEstimate[]): ReadonlySet<number> {
  const usable = new Set<number>();
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const ofDay = hour % 24;
    const isAwake = ofDay >= AWAKE.from && ofDay < AWAKE.to;
    if (isAwake || (hours[hour]?.posts ?? 0) > 0) usable.add(ofDay);
  }
  return usable;
}

/**
 * Whether an instant differs from all others and is at least `gap` away from each of them. `others` must be in
 * ascending order.
 */
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

function reasonFor({ score, low, high, posts }: HourEstimate, evidence: Evidence): string {
  const soFar = `${posts} ${posts === 1 ? 'post' : 'posts'} so far.`;
  if (low > 100 && (evidence === 'fair' || evidence === 'strong')) {
    const [min, max] = [Math.round(low - 100), Math.round(high - 100)];
    const range = min > 0 ? `${min} to ${max} %` : `up to ${max} %`;
    return `Probably ${range} above your average, ${soFar}`;
  }
  if (low > 100 && evidence === 'weak') return `Probably above your average, ${soFar}`;
  if (score > 100)
    return posts > 0
      ? `Possibly above your average, ${soFar}`
      : 'No posts at this hour yet, but similar hours do well.';
  return evidence === 'none' ? `No hour stands out yet, ${soFar}` : `No better hour is free, ${soFar}`;
}
