import type { Logger } from '../telemetry/log.ts';

/** Milliseconds that running work has to end once a stop is asked for. */
const STOP_DEADLINE = 30_000;

/**
 * Waits for SIGINT or SIGTERM, lets `stop` end what runs, and ends the process. A second signal doesn't wait, nor does
 * the deadline.
 */
export async function untilStopped(log: Logger, stop: () => Promise<void>): Promise<never> {
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  log.info('stopping: running work may end');
  const hurry = (): never => process.exit(1);
  process.once('SIGINT', hurry);
  process.once('SIGTERM', hurry);
  setTimeout(() => {
    log.warn('work was still running at the deadline');
    hurry();
  }, STOP_DEADLINE).unref();
  await stop();
  log.info('stopped');
  process.exit(0);
}
