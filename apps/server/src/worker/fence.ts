import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FenceKeeper, type Resources } from '@postshelf/application';
import type { Database } from '@postshelf/database';
import { describeOwnershipProblem, type LibraryLocations, Refusal } from '@postshelf/domain';
import type { Logger } from '../telemetry/log/log.ts';
import { type RunningTask, repeat } from './repeat.ts';

const INTERVAL = 10_000;

/**
 * Maximum milliseconds that `stop()` waits for a storage that doesn't respond. It is less than the time that the
 * process has in total for closing everything.
 */
const LAST_CHANGE = 4_000;

/** The message for clients; the log has the details. */
const READ_ONLY = 'The library is read-only here, because it is used elsewhere.';

const SOME_LEFT = 'some deleted objects could not be destroyed; they are retried every minute';

/** The message for the log if the fence can't be changed; the cause names the database or the storage. */
const ALL_LEFT =
  'deleted objects keep their space until the database and the storage can be written to: if a disk is full, remove other files from it';

export interface RunningFence {
  readOnly(): string | null;
  /**
   * Returns why the library is read-only, for operators: the text names the database and the storage. Returns null if
   * the library can be written to.
   */
  problem(): string | null;
  /** Whether it is certain that no copy of the database uses the storage ({@link FenceKeeper.isOwner}). */
  isOwner(): boolean;
  /** Starts to check and change the fence periodically. Every process that works on the library does so. */
  start(): void;
  stop(): Promise<void>;
}

/**
 * Opens the fence and checks it once. If the library is a copy, it is reported and made read-only before anything else
 * happens.
 */
export async function openFence(
  ports: Resources,
  database: Pick<Database, 'refuseWrites'>,
  log: Logger,
): Promise<RunningFence> {
  const keeper = new FenceKeeper(ports, randomUUID());
  let problem: string | null = null;
  let failing: string | null = null;
  const reportFailure = (err: unknown, failure: string | null): void => {
    if (failure === failing) return;
    failing = failure;
    if (failure !== null) log.warn({ err }, failure);
    else log.info('deleted objects can be destroyed again');
  };
  const step = async (): Promise<void> => {
    try {
      const destroyed = await keeper.step();
      if (destroyed > 0) log.info({ destroyed }, 'deleted objects were destroyed');
      reportFailure(keeper.failure, keeper.failure === null ? null : SOME_LEFT);
    } catch (err) {
      if (!(err instanceof Refusal)) throw err;
      reportFailure(err, ALL_LEFT);
    }
    const message = describe(keeper, ports.locations);
    if (message === problem) return;
    problem = message;
    database.refuseWrites(message && READ_ONLY);
    if (message !== null) log.error({ problem: keeper.problem }, message);
    else log.info('the library is no longer read-only');
  };
  await step();
  let task: RunningTask | null = null;
  return {
    readOnly: () => problem && READ_ONLY,
    problem: () => problem,
    isOwner: () => keeper.isOwner,
    start() {
      task = repeat({ name: 'keep the fence', every: INTERVAL, run: step }, log);
    },
    async stop() {
      const late = delay(LAST_CHANGE, undefined, { ref: false });
      await Promise.race([task?.stop(), late]);
      await keeper.stop(late).catch((err: unknown) => log.debug({ err }, 'the lease could not be given back'));
    },
  };
}

const describe = ({ problem }: FenceKeeper, locations: LibraryLocations): string | null =>
  problem && describeOwnershipProblem(problem, locations);
