import type { TimeWindow } from './date-range.ts';
import { nextChange, offsetAt } from './time-zone.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

export const HOURS_PER_WEEK = 168;

/** 1 January 1970 was a Thursday. */
export const EPOCH_HOUR_OF_WEEK = 4 * 24;

/** Converts instants to hours of the week; 0 is Sunday from midnight to one. */
export interface LocalHours {
  at(instant: number): number;
  /** Milliseconds ahead of UTC. */
  offset(instant: number): number;
  /** Splits a window, both ends included, into stretches of constant offset, in order. */
  stretches(window: TimeWindow): readonly ClockStretch[];
}

interface ClockStretch extends TimeWindow {
  /** Milliseconds ahead of UTC. */
  readonly offset: number;
}

/** A period of constant offset. `end` is excluded; `offset` is in milliseconds ahead of UTC. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

/** Offset changes are looked up a year at a time, because posts usually span only a few years. */
const BLOCK = 360 * DAY;

/** Maximum number of cached zones; each takes hundreds of bytes per block. */
const MAX_ZONES = 64;

const known = new Map<string, LocalHours>();

/** Returns the clocks of a zone. Changes are cached, because looking up an offset takes microseconds. */
export function localHours(zone: string): LocalHours {
  const hours = known.get(zone) ?? readClocks(zone);
  known.delete(zone);
  known.set(zone, hours);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_ZONES) break;
    known.delete(oldest);
  }
  return hours;
}

function readClocks(zone: string): LocalHours {
  const blocks = new Map<number, readonly Stretch[]>();
  let last: Stretch | null = null;
  const stretchOf = (instant: number): Stretch => {
    if (last && instant >= last.start && instant < last.end) return last;
    const number = Math.floor(instant / BLOCK);
    const block = blocks.get(number) ?? readBlock(zone, number * BLOCK);
    blocks.set(number, block);
    last = block.find(({ end }) => instant < end) ?? null;
    if (!last) throw new RangeError(`${instant} is not an instant`);
    return last;
  };
  return {
    at: (instant) => hourOfWeek(instant + stretchOf(instant).offset),
    offset: (instant) => stretchOf(instant).offset,
    stretches({ from, to }) {
      const found: ClockStretch[] = [];
      for (let start = from; start <= to; ) {
        const { end, offset } = stretchOf(start);
        const last = found.at(-1);
        const until = Math.min(end - 1, to);
        // A block may end without a change of offset. Then the next stretch continues the last one.
        if (last?.offset === offset) found[found.length - 1] = { ...last, to: until };
        else found.push({ from: start, to: until, offset });
        start = end;
      }
      return found;
    },
  };
}

function readBlock(zone: string, blockStart: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  const blockEnd = blockStart + BLOCK;
  for (let start = blockStart; start < blockEnd; ) {
    const end = Math.min(nextChange(zone, start) ?? blockEnd, blockEnd);
    stretches.push({ start, end, offset: offsetAt(zone, start) });
    start = end;
  }
  return stretches;
}

/** @param local local time as if it were UTC */
function hourOfWeek(local: number): number {
  const hour = (Math.floor(local / HOUR) + EPOCH_HOUR_OF_WEEK) % HOURS_PER_WEEK;
  return hour < 0 ? hour + HOURS_PER_WEEK : hour;
}
