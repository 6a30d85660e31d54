import type { Clock } from '@postshelf/domain';

/** A clock that stands still until it is set. */
export interface FakeClock extends Clock {
  /** Sets the time, also back; milliseconds since the epoch. None passes. */
  set(now: number): void;
  /** Moves the time by this many milliseconds, also negative ones, which don't pass. */
  advance(by: number): void;
}

/** Noon on an ordinary day, far from daylight saving changes. */
const NOON = Date.UTC(2026, 0, 15, 12);

/** @throws RangeError, also later, for a time that is no whole number of milliseconds */
export function fakeClock(start = NOON): FakeClock {
  let time = whole(start);
  let passed = 0;
  return {
    now: () => time,
    elapsed: () => passed,
    set: (now) => {
      time = whole(now);
    },
    advance: (by) => {
      time = whole(time + by);
      passed += Math.max(0, by);
    },
  };
}

function whole(time: number): number {
  if (!Number.isSafeInteger(time)) throw new RangeError('A clock tells whole milliseconds.');
  return time;
}
