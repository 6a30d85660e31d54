import { type Stopwatch, startStopwatch } from './stopwatch.ts';

export { type Stopwatch, startStopwatch } from './stopwatch.ts';

/** Milliseconds of a {@link Stopwatch} after which a wait fails, unless it has a different limit. */
const PATIENCE = 30_000;

/**
 * Milliseconds between polls: a share of the time waited so far, so that long waits leave the processor to other
 * processes. A wait can have a longer least pause.
 */
const PAUSE = { min: 10, max: 1000, share: 0.05 };

/** Milliseconds between checks of the stopwatch. */
const CHECK_INTERVAL = 100;

// Keeps the platform's own functions, because tests may replace the global ones.
const { setInterval, clearInterval } = globalThis;

let waits = 0;

/** Whether `until` or `within` is waiting. Both have their own limit for the wait. */
export const isWaiting = (): boolean => waits > 0;

/**
 * Waits until a condition holds.
 *
 * @param patience milliseconds of a {@link Stopwatch}: half a minute without any movement is too long, but minutes of
 *   work on a busy machine are not
 * @param min milliseconds between the first polls. It should be more than the default for a condition that needs much
 *   processor time
 * @throws Error with the name of the wait when the time is over, and whatever the condition throws
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  patience = PATIENCE,
  min = PAUSE.min,
): Promise<void> {
  let isOver = false;
  const poll = async (stopwatch: Stopwatch): Promise<void> => {
    while (!(await condition()) && !isOver)
      await Bun.sleep(Math.min(Math.max(stopwatch.passed() * PAUSE.share, min), PAUSE.max));
  };
  try {
    await limited(`until: ${what}`, poll, patience);
  } finally {
    isOver = true;
  }
}

/** Returns the result of the promise; fails like {@link until} if it isn't settled in time. */
export const within = <T>(what: string, promise: Promise<T>, patience = PATIENCE): Promise<T> =>
  limited(`for: ${what}`, () => promise, patience);

async function limited<T>(what: string, work: (stopwatch: Stopwatch) => Promise<T>, patience: number): Promise<T> {
  using stopwatch = startStopwatch(patience / 5);
  waits += 1;
  let timer: ReturnType<typeof setInterval> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      // Real time is compared first, because that costs nothing.
      if (stopwatch.passed() <= patience || stopwatch.elapsed() <= patience) return;
      const seconds = Math.round(stopwatch.passed() / 1000);
      reject(new Error(`Waited ${seconds} s in vain ${what} (for ${patience / 1000} s of that time, nothing moved)`));
    }, CHECK_INTERVAL);
  });
  try {
    return await Promise.race([work(stopwatch), late]);
  } finally {
    clearInterval(timer);
    waits -= 1;
  }
}
