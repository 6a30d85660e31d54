import { showEvent } from '@postshelf/api';
import {
  fanOut,
  finishProfileRemovals,
  type InspectedItem,
  inspectAgain,
  purgeDueTrash,
  type Resources,
} from '@postshelf/application';
import type { LibraryEvent } from '@postshelf/domain';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../telemetry/log/log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { garbageTask } from './collect-garbage.ts';
import type { RunningFence } from './fence.ts';
import { type RunningTask, repeatAll, type Task, waitUnlessStopped } from './repeat.ts';

const MANY = 10_000;

/** Starts all periodic background work of a process except for jobs. */
export function startTasks(
  config: Config,
  composition: Composition,
  fence: RunningFence,
  telemetry: Telemetry,
): RunningTask {
  const { ports, database } = composition;
  const { log } = telemetry;
  const { vacuum } = database;
  const tasks: readonly Task[] = [
    { name: 'fan out events', every: 100, run: fanOutEvents(composition) },
    { name: 'remove deleted profiles and old trash', every: 1000, run: removeRest(composition, fence) },
    { name: 'keep the search index', every: 2000, after: 2000, run: keepSearchIndex(database, log) },
    ...(vacuum === null ? [] : [{ name: 'return free space', every: 10_000, run: returnSpace(vacuum, log) }]),
    inspectAgainTask(ports, telemetry),
    garbageTask(config, ports, fence, telemetry),
  ];
  return repeatAll(tasks, log);
}

/** Creates the webhook deliveries of new events. */
function fanOutEvents({ ports, store }: Pick<Composition, 'ports' | 'store'>): Task['run'] {
  const payloadOf = (event: LibraryEvent): string => JSON.stringify(showEvent(store, event));
  let hasWebhooks = false;
  return async (signal) => {
    hasWebhooks ||= (await ports.webhooks.count()) > 0;
    if (hasWebhooks) await fanOut(ports, payloadOf, signal);
  };
}

const removeRest =
  ({ ports }: Pick<Composition, 'ports'>, fence: Pick<RunningFence, 'problem'>): Task['run'] =>
  async (signal) => {
    if (fence.problem() !== null) return;
    await finishProfileRemovals(ports, signal);
    await purgeDueTrash(ports, signal);
  };

/** Updates the search index soon after items have changed. Searches have to read the items that aren't indexed yet. */
function keepSearchIndex({ keepSearchIndex: keep }: Composition['database'], log: Logger): Task['run'] {
  let known: string | null = null;
  return async (signal) => {
    const { entries, obstacle } = await keep(signal);
    if (entries >= MANY) log.info({ entries }, 'the search index was brought up to date');
    if (obstacle !== null && known === null) log.warn({ obstacle }, 'searches read every item of a workspace');
    known = obstacle;
  };
}

const returnSpace =
  (vacuum: NonNullable<Composition['database']['vacuum']>, log: Logger): Task['run'] =>
  async (signal) => {
    const bytes = await vacuum(signal);
    if (bytes > 0) log.info({ bytes }, 'free space of the database was returned to the disk');
  };

/**
 * Periodically checks that this process's secret is still the library's secret, and the one that the next start would
 * use. Each new problem is logged once.
 */
export function secretTask({ findSecretProblem }: Pick<Composition, 'findSecretProblem'>, log: Logger): Task {
  let known: string | null = null;
  return {
    name: 'check the secret',
    every: 30_000,
    async run() {
      const problem = await findSecretProblem();
      if (problem !== null && problem !== known) log.error(problem);
      if (problem === null && known !== null) log.info('the secret that signs tokens is back');
      known = problem;
    },
  };
}

const START_DELAY = 3_000;

const INTERVAL = 60_000;

/** Maximum log lines of a process. Further problems are only counted. */
const MAX_LINES = 1000;

/**
 * Inspects files one at a time until all have been inspected. Then periodically inspects those that clients sent
 * directly to the storage.
 */
function inspectAgainTask(ports: Resources, { log, metrics }: Telemetry): Task {
  let inspected = 0;
  let lines = 0;
  const onInspected = ({ id, outcome, cause }: InspectedItem): void => {
    inspected += 1;
    metrics?.mediaInspected(outcome);
    if (outcome === 'sound' || lines === MAX_LINES) return;
    lines += 1;
    log.error({ media: id, outcome, err: cause }, 'the file of an active media item is missing, damaged or unreadable');
    if (lines === MAX_LINES) log.error('more such files are only counted (docs/operating/monitoring.md)');
  };
  const inspect = async (signal: AbortSignal): Promise<void> => {
    const wait = (milliseconds: number): Promise<void> => waitUnlessStopped(milliseconds, signal);
    const before = inspected;
    const outcome = await inspectAgain(ports, { signal, wait, random: Math.random, onInspected });
    if (outcome === 'unreachable') log.warn('inspecting files stopped: the storage is out of reach');
    if (inspected > before) log.info({ inspected: inspected - before, outcome }, 'files were inspected');
  };
  return { name: 'inspect files again', every: INTERVAL, after: START_DELAY, run: inspect };
}
