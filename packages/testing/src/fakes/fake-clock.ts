import type { Clock } from '@postshelf/domain';

/** A clock that doesn't move until it is set. */
export interface FakeClock extends Clock {
  /**
   * Sets the time, in milliseconds since the epoch, even to an earlier one. The monotonic elapsed time doesn't change.
   */
  set(now: number): void;
  /** Moves the time by this many milliseconds and, if the number is positive, also the elapsed time. */
  advance(by: number): void;
}

/** Noon on an ordinary day, far from daylight saving changes. */
const NOON = Date.UTC(2026, 0, 15, 12);

/**
 * Creates a clock.
 *
 * @throws RangeError for a time that isn't a whole number of milliseconds; `set` and `advance` also throw it
 */
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
  if (!Number.isSafeInteger(time)) throw new RangeError('A clock counts whole milliseconds.');
  return time;
}
