import type { Logger } from '../telemetry/log/log.ts';

/** Does something now and then, never twice at once. */
export function every(interval: number, work: () => Promise<void>, log: Logger): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (err) {
      log.error({ err }, 'periodic work failed');
    }
    if (!isStopped) timer = setTimeout(start, interval);
  };
  const start = (): void => {
    running = run();
  };
  start();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
