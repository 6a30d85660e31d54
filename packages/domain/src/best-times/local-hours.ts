import { QUARTER } from './quarters.ts';
import { offsetAt } from './time-zone.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

export const HOURS_PER_WEEK = 168;

/** 1 January 1970 was a Thursday; weeks begin on Sunday. */
const EPOCH_HOUR_OF_WEEK = 4 * 24;

/** The hours of the week by a zone's clocks: 0 is Sunday from midnight to one, 167 the last of Saturday. */
export interface LocalHours {
  at(instant: number): number;
  /**
   * The hour that all of a quarter of an hour falls in. null when there is none: the clocks are changed within the
   * quarter (Newfoundland did so at 00:01), or aren't a whole number of quarters from UTC (Liberia until 1972).
   */
  ofQuarter(quarter: number): number | null;
}

/** The offsets of one UTC day, in milliseconds: `before` until `change`, `after` from then on. */
interface Offsets {
  readonly before: number;
  readonly after: number;
  readonly change: number;
}

/**
 * Reads a zone's clocks. Their offset is looked up once for each UTC day that is asked about and kept with the answer,
 * so make one for each piece of work. No zone has changed its clocks twice within six days since 1970: a day has one
 * change at most.
 */
export function localHours(zone: string): LocalHours {
  const days = new Map<number, Offsets>();
  // Most questions are about the day of the one before.
  let last: { readonly day: number; readonly offsets: Offsets } | null = null;
  const offsetsOf = (day: number): Offsets => {
    if (last?.day === day) return last.offsets;
    const offsets = days.get(day) ?? readOffsets(zone, day * DAY);
    days.set(day, offsets);
    last = { day, offsets };
    return offsets;
  };
  return {
    at(instant) {
      const { before, after, change } = offsetsOf(Math.floor(instant / DAY));
      return hourOfWeek(instant + (instant < change ? before : after));
    },
    ofQuarter(quarter) {
      const start = quarter * QUARTER;
      const { before, after, change } = offsetsOf(Math.floor(start / DAY));
      if (start < change && change < start + QUARTER) return null;
      const offset = start < change ? before : after;
      return offset % QUARTER === 0 ? hourOfWeek(start + offset) : null;
    },
  };
}

function readOffsets(zone: string, start: number): Offsets {
  const end = start + DAY;
  const before = offsetAt(zone, start);
  const after = offsetAt(zone, end);
  if (before === after) return { before, after, change: end };
  let [last, change] = [start, end];
  while (change - last > 1) {
    const middle = Math.floor((last + change) / 2);
    if (offsetAt(zone, middle) === before) last = middle;
    else change = middle;
  }
  return { before, after, change };
}

/** @param local a local time as if it were UTC */
function hourOfWeek(local: number): number {
  const hour = (Math.floor(local / HOUR) + EPOCH_HOUR_OF_WEEK) % HOURS_PER_WEEK;
  return hour < 0 ? hour + HOURS_PER_WEEK : hour;
}
