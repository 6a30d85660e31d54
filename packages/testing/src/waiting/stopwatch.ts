import { doesMove, processorShare } from './movement.ts';

/**
 * A clock for waits in tests. It runs at normal speed while nothing moves, and slower while this process or its
 * children work or the machine is busy. So a time limit that is measured with this clock suits both a quiet machine and
 * a busy one. The clock's speed is at least {@link SLOWEST}, so a wait that can't succeed ends within minutes even if a
 * process never stops working.
 */
export interface Stopwatch extends Disposable {
  /** Returns the milliseconds on this clock. */
  elapsed(): number;
  /** Returns the milliseconds of real time. */
  passed(): number;
}

/** The clock's lowest speed. The clock always has this speed while this process or its children work. */
const SLOWEST = 1 / 8;

/** Returns the clock's speed while this process and its children wait. A busy machine slows it down. */
const speedAtRest = (): number => Math.max(SLOWEST, processorShare());

/** Milliseconds between checks whether anything moves. */
const TICK = 500;

/** Milliseconds after which a stopwatch begins to check all processes. A check takes a few milliseconds. */
const CHECK_AFTER = 1000;

// Keeps the platform's own functions, because tests may replace the global ones.
const { setInterval, clearInterval } = globalThis;

const running = new Set<{ advance(passed: number, rate: () => number): void }>();
let ticker: ReturnType<typeof setInterval> | undefined;

// This isn't performance.now(), because tests may replace that function.
const now = (): number => Bun.nanoseconds() / 1e6;

/**
 * Starts a stopwatch.
 *
 * @param checkAfter milliseconds during which it runs like an ordinary clock, because most waits are shorter
 */
export function startStopwatch(checkAfter = CHECK_AFTER): Stopwatch {
  const start = now();
  let counted = 0;
  let countedAt = start;
  const own = {
    advance(at: number, rate: () => number) {
      // A late tick means that this process was busy, which counts as work.
      const passed = Math.max(0, Math.min(at - countedAt, 2 * TICK));
      counted += at - start < checkAfter ? passed : passed * rate();
      countedAt = at;
    },
  };
  running.add(own);
  ticker ??= setInterval(tick, TICK);
  return {
    elapsed: () => counted + Math.min(now() - countedAt, TICK) * speedAtRest(),
    passed: () => now() - start,
    [Symbol.dispose]() {
      running.delete(own);
      if (running.size > 0) return;
      clearInterval(ticker);
      ticker = undefined;
    },
  };
}

/** Whether a test controls the clocks. Bun then replaces all of them, including timers that are already running. */
export const hasFakeTimers = (): boolean => 'clock' in globalThis.setTimeout;

function tick(): void {
  if (hasFakeTimers()) return;
  let rate: number | undefined;
  const readRate = (): number => {
    rate ??= doesMove() ? SLOWEST : speedAtRest();
    return rate;
  };
  const at = now();
  for (const each of running) each.advance(at, readRate);
}
