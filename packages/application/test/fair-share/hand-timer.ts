import type { StartTimer } from '../../src/fair-share/slot-pool.ts';

/** Timers that fire when the test lets time pass. */
export interface HandTimer {
  readonly startTimer: StartTimer;
  /** The number of timers that have neither fired nor been stopped. */
  readonly pending: number;
  /** Lets this many milliseconds pass. */
  pass(milliseconds: number): void;
}

export function handTimer(): HandTimer {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 0;
  return {
    startTimer(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    pass(milliseconds) {
      now += milliseconds;
      for (const timer of [...timers]) {
        // The callback of an earlier timer may have stopped this one.
        if (timer.at <= now && timers.delete(timer)) timer.callback();
      }
    },
  };
}
