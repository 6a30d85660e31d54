import type { TimeWindow } from '../dates/date-range.ts';

const DAY = 24 * 60 * 60 * 1000;

export const SLOTS = { count: 5, mostCount: 50, minGapMinutes: 120, days: 7, mostDays: 60 } as const;

export interface SlotWishes {
  readonly window: TimeWindow;
  readonly count: number;
  readonly minGapMinutes: number;
  /** Hours of the week in which nothing is suggested. */
  readonly excluded: ReadonlySet<number>;
}

/**
 * Returns the window in which slots are suggested: from now, for a week by default. If a field is wrong, returns the
 * field and a sentence that says why.
 *
 * @param isWholeDay whether `to` is the end of a day; then only the day's start must be within the limit
 */
export function slotWindow(
  { from, to }: Partial<TimeWindow>,
  now: number,
  isWholeDay = false,
): TimeWindow | { readonly field: 'from' | 'to'; readonly problem: string } {
  const latest = now + SLOTS.mostDays * DAY;
  const problem = `must be a date at most ${SLOTS.mostDays} days ahead.`;
  const start = Math.max(from ?? now, now);
  if (start > latest) return { field: 'from', problem };
  if (to === undefined) return { from: start, to: Math.min(start + SLOTS.days * DAY, latest) };
  // A day that starts within the limit may end up to a day after it.
  if (to > latest + DAY || (to > latest && !isWholeDay)) return { field: 'to', problem };
  return to < start
    ? { field: 'to', problem: 'must be a date in the future.' }
    : { from: start, to: Math.min(to, latest) };
}
