import { QUARTER, QUARTERS_PER_DAY } from './quarters.ts';
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

/** No hour of the week. */
const CUT = -1;

/** One UTC day by a zone's clocks. */
interface Day {
  readonly number: number;
  readonly offsets: Offsets;
  /** The hour of the week of each of its quarters, or {@link CUT}. */
  readonly hours: Int16Array;
}

/**
 * Reads a zone's clocks. Their offset is looked up once for each UTC day that is asked about and kept with the answer,
 * so make one for each piece of work. No zone has changed its clocks twice within six days since 1970: a day has one
 * change at most.
 */
export function localHours(zone: string): LocalHours {
  const days = new Map<number, Day>();
  // Most questions are about the day of the one before.
  let last: Day | null = null;
  const dayOf = (number: number): Day => {
    if (last?.number === number) return last;
    const day = days.get(number) ?? readDay(zone, number);
    days.set(number, day);
    last = day;
    return day;
  };
  return {
    at(instant) {
      const { before, after, change } = dayOf(Math.floor(instant / DAY)).offsets;
      return hourOfWeek(instant + (instant < change ? before : after));
    },
    ofQuarter(quarter) {
      const number = Math.floor(quarter / QUARTERS_PER_DAY);
      const hour = dayOf(number).hours[quarter - number * QUARTERS_PER_DAY] ?? CUT;
      return hour === CUT ? null : hour;
    },
  };
}

function readDay(zone: string, number: number): Day {
  const start = number * DAY;
  const offsets = readOffsets(zone, start);
  const hours = Int16Array.from({ length: QUARTERS_PER_DAY }, (_, index) =>
    hourOfQuarter(start + index * QUARTER, offsets),
  );
  return { number, offsets, hours };
}

function hourOfQuarter(start: number, { before, after, change }: Offsets): number {
  if (start < change && change < start + QUARTER) return CUT;
  const offset = start < change ? before : after;
  return offset % QUARTER === 0 ? hourOfWeek(start + offset) : CUT;
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
