import type { TimeWindow } from './date-range.ts';

const DAY = 24 * 60 * 60 * 1000;

export const SLOTS = { count: 5, mostCount: 50, minGapMinutes: 120, days: 7, mostDays: 60 } as const;

export interface SlotWishes {
  readonly window: TimeWindow;
  readonly count: number;
  readonly minGapMinutes: number;
  /** Hours of the week. */
  readonly excluded: ReadonlySet<number>;
}

/**
 * From now on, a week unless it is given. A text says what is wrong.
 *
 * @param isWholeDay whether `to` is the end of a day, of which the beginning has to be in time
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
  // A day that begins in time ends later.
  if (to > latest + DAY || (to > latest && !isWholeDay)) return { field: 'to', problem };
  return to < start
    ? { field: 'to', problem: 'must be a date in the future.' }
    : { from: start, to: Math.min(to, latest) };
}
