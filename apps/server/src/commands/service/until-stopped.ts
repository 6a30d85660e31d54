import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../telemetry/log/log.ts';
import { EXIT } from '../exit-codes.ts';

/** Milliseconds after the deadline until the process exits in any case. Meanwhile it closes files and the database. */
const CLOSING_TIME = 5_000;

/** Signals that ask the process to stop. A supervisor, a person or a closed terminal sends them. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

export interface ShutdownSteps {
  /** Makes `/ready` answer 503; the process still accepts work. */
  announce(): void;
  /**
   * Waits for running work to end, and cuts it off at the deadline. Returns the number of requests that were cut off.
   */
  finish(deadline: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/**
 * Waits for one of {@link SIGNALS}, then stops and ends the process. The exit code is 0 if all work ended, and 1 if
 * some work was cut off or a second signal arrived.
 */
export async function stopOnSignal(
  config: Pick<Config, 'shutdownDelay' | 'shutdownTimeout'>,
  log: Logger,
  stopping: ShutdownSteps,
): Promise<never> {
  // Whether SIGHUP is ignored has to be read before handlers are installed, because a handler changes that.
  const signals = SIGNALS.filter((signal) => signal !== 'SIGHUP' || !ignoresHangUp());
  await signalled(signals);
  log.info('stopping: running work is finished first');
  void signalled(signals).then(() => process.exit(EXIT.failed));
  stopping.announce();
  await Bun.sleep(config.shutdownDelay);
  const deadline = AbortSignal.timeout(config.shutdownTimeout);
  deadline.addEventListener('abort', () => setTimeout(() => process.exit(EXIT.failed), CLOSING_TIME).unref());
  const cutOff = await stopping.finish(deadline);
  if (cutOff > 0) log.warn({ cutOff }, 'work was still running at the deadline');
  await stopping.close();
  log.info('stopped');
  process.exit(cutOff > 0 ? EXIT.failed : EXIT.done);
}

const signalled = (signals: readonly NodeJS.Signals[]): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });

const STATUS = '/proc/self/status';

/**
 * Whether the process was started with SIGHUP ignored, as nohup(1) does, so that it outlives its terminal (proc(5)).
 */
function ignoresHangUp(): boolean {
  if (!existsSync(STATUS)) return false;
  const mask = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync(STATUS, 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${mask}`) >> BigInt(constants.signals.SIGHUP - 1)) & 1n) === 1n;
}
