import type { Logger } from '../telemetry/log/log.ts';

/** Milliseconds in which the same failure is told once, as work may be tried, and fail, every second for hours. */
const SILENCE = 10 * 60_000;

/** Runs work immediately and then periodically, never concurrently with itself. */
export function every(
  interval: number,
  work: (signal: AbortSignal) => Promise<void>,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();
  let told = { failure: '', at: 0 };
  const run = async (): Promise<void> => {
    try {
      await work(stopping.signal);
      told = { failure: '', at: 0 };
    } catch (err) {
      const [failure, at] = [String(err), performance.now()];
      const isNews = failure !== told.failure || at - told.at >= SILENCE;
      if (isNews) told = { failure, at };
      log[isNews ? 'error' : 'debug']({ err }, 'periodic work failed');
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, interval);
  };
  const start = (): void => {
    running = run();
  };
  start();
  return {
    stop() {
      stopping.abort();
      clearTimeout(timer);
      return running;
    },
  };
}
