import type { StartTimer } from '../../src/fair-share/slot-pool.ts';

/** Timers that go off when they are told to. */
export interface HandTimer {
  readonly startTimer: StartTimer;
  /** Timers that neither went off nor were stopped. */
  readonly pending: number;
  /** So many milliseconds pass. */
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
        // Another one that went off may have stopped it.
        if (timer.at <= now && timers.delete(timer)) timer.callback();
      }
    },
  };
}
