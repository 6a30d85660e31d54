import type { Logger } from '../telemetry/log/log.ts';

/** Runs work immediately and then periodically, never concurrently with itself. */
export function every(
  interval: number,
  work: (signal: AbortSignal) => Promise<void>,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await work(stopping.signal);
    } catch (err) {
      log.error({ err }, 'periodic work failed');
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
