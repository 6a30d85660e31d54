import type { Logger } from '../telemetry/log/log.ts';

/** Does something at once and then repeatedly, never twice at the same time. */
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
