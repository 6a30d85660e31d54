import type { TimeWindow } from './date-range.ts';
import type { LocalHours } from './local-hours.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

/** The start of an hour by local clocks. */
export interface LocalHour {
  readonly at: number;
  readonly hourOfWeek: number;
  /** Hours on local clocks since 1970. */
  readonly clock: number;
}

/**
 * Lists the local hours that start in a window. Hours that clocks skip are missing, and hours that clocks repeat appear
 * once.
 */
export function localHoursWithin({ from, to }: TimeWindow, local: LocalHours): readonly LocalHour[] {
  const starts: LocalHour[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = from; at <= to; ) {
    const clock = at + local.offset(at);
    const past = ((clock % HOUR) + HOUR) % HOUR;
    if (past !== 0) {
      const start = at + HOUR - past;
      // If clocks change before the next hour starts, this continues in quarter hours, because clocks may change by
      // less than an hour.
      at = local.offset(start) === local.offset(at) ? start : nextQuarter(at);
      continue;
    }
    if (clock > latest) starts.push({ at, hourOfWeek: local.at(at), clock: clock / HOUR });
    latest = Math.max(latest, clock);
    at += 15 * MINUTE;
  }
  return starts;
}

const nextQuarter = (at: number): number => (Math.floor(at / (15 * MINUTE)) + 1) * 15 * MINUTE;

const WEEK = 7 * 24 * HOUR;

/**
 * Returns the start of the week by local clocks: the last time at which a Sunday began, which may be the instant
 * itself.
 */
export function startOfWeek(instant: number, local: LocalHours): number {
  // The window is an hour longer than a week, because clocks may be set back.
  const starts = localHoursWithin({ from: instant - WEEK - HOUR, to: instant }, local);
  return starts.findLast(({ hourOfWeek }) => hourOfWeek === 0)?.at ?? instant;
}
