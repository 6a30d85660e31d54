import type { Config } from '../../config/config.ts';
import type { Logger } from '../../telemetry/log/log.ts';

/** Milliseconds behind the deadline in which what was cut off may close files and the database. */
const CLOSING_TIME = 5_000;

/** Whoever sends one of these wants the process gone: a supervisor, a person, a terminal that was closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** How a process stops, in this order. */
export interface Stopping {
  /** Tells those who watch the process; it still takes work. */
  announce(): void;
  /** Takes no new work and lets what runs end, or cuts it off at the deadline; answers how much was cut off. */
  finish(deadline: AbortSignal): Promise<number>;
  /** Lets go of everything. */
  close(): Promise<void>;
}

/**
 * Waits for one of {@link SIGNALS}, stops and ends the process: 0 when all work came to its end, 1 when some was cut
 * off. A second signal ends it at once, with 1.
 */
export async function untilStopped(
  config: Pick<Config, 'shutdownDelay' | 'shutdownTimeout'>,
  log: Logger,
  stopping: Stopping,
): Promise<never> {
  await signalled();
  log.info('stopping: running work may end');
  void signalled().then(() => process.exit(1));
  stopping.announce();
  await Bun.sleep(config.shutdownDelay);
  const deadline = AbortSignal.timeout(config.shutdownTimeout);
  deadline.addEventListener('abort', () => setTimeout(() => process.exit(1), CLOSING_TIME).unref());
  const cutOff = await stopping.finish(deadline);
  if (cutOff > 0) log.warn({ cutOff }, 'work was still running at the deadline');
  await stopping.close();
  log.info('stopped');
  process.exit(cutOff > 0 ? 1 : 0);
}

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
