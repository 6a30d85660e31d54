import {
  checkHandler,
  coverHandler,
  deliveryHandler,
  fitHandler,
  importHandler,
  type JobOptions,
  JobRunner,
  previewHandler,
  removalHandler,
  scheduleCheck,
  watchQuiet,
} from '@postshelf/application';
import { importRules, JOB_RULES, type Job, type JobKind } from '@postshelf/domain';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import { isQuiet, type Telemetry } from '../telemetry/telemetry.ts';
import type { RunningFence } from './fence.ts';
import { logJobs, logMissingObjects } from './job-log.ts';
import { type RunningTask, repeatAll, type Task, waitUnlessStopped } from './repeat.ts';

/**
 * Milliseconds between two polls for due jobs. With this interval, a delivery starts at most 300 ms after its event,
 * including the time until the event is noticed.
 */
const POLL_INTERVAL = 100;

const PROGRESS_INTERVAL = 10_000;

const SCHEDULE_INTERVAL = 60 * 60 * 1000;

export interface Jobs {
  /** Works on jobs that requests pass to it, even before {@link start}. */
  readonly runner: JobRunner;
  /** Starts claiming due jobs. */
  start(): void;
  /** Returns interruptible jobs to the queue. Resolves when no job is running. May be called again. */
  stop(): Promise<void>;
}

/** Creates what this process needs to work on jobs: a handler for each kind (docs/adding-a-job.md), and a runner. */
export function createJobs(
  config: Config,
  composition: Pick<Composition, 'ports' | 'store' | 'hasLibrarySecret'>,
  fence: Pick<RunningFence, 'problem'>,
  telemetry: Telemetry,
): Jobs {
  const { ports, store } = composition;
  const { log, tracing } = telemetry;
  const { checkObjectsPerSecond } = config;
  const pause = (signal: AbortSignal): Promise<void> => waitUnlessStopped(1000 / checkObjectsPerSecond, signal);
  const handlers = [
    importHandler(ports, config.importRetryDelays),
    fitHandler(ports, throttle(telemetry)),
    coverHandler(ports),
    ...(config.previewsAhead ? [previewHandler(ports)] : []),
    deliveryHandler(ports, { retryDelays: config.webhookRetryDelays, random: Math.random }),
    ...(checkObjectsPerSecond > 0 ? [checkHandler(ports, { pause, onMissing: logMissingObjects(telemetry) })] : []),
    removalHandler(ports, (workspace, removed) => log.info({ workspace, removed }, 'workspace removed')),
  ];
  const hasSpace = watchSpace(store, log);
  const optionsOf = jobOptions(config, composition, fence, hasSpace, telemetry);
  const runner = new JobRunner(ports, handlers, {
    optionsOf,
    isQuiet: watchQuiet(ports, () => isQuiet(telemetry)),
    within: (kind, work) => tracing.task(kind, work),
    ...logJobs(telemetry),
  });
  const tasks: readonly Task[] = [
    { name: 'start jobs that are due', every: POLL_INTERVAL, run: () => runner.runDue() },
    { name: 'watch the disk', every: 1000, run: hasSpace },
    // Scheduling is repeated, because it fails while the library is read-only, as it may be at the start.
    ...(checkObjectsPerSecond > 0
      ? [{ name: 'schedule the check of objects', every: SCHEDULE_INTERVAL, run: () => scheduleCheck(ports) }]
      : []),
  ];
  let running: RunningTask | null = null;
  return {
    runner,
    start() {
      running = repeatAll(tasks, log);
    },
    async stop() {
      await Promise.all([running?.stop(), runner.stop()]);
    },
  };
}

/**
 * Returns a function that maps a kind of job to its options: its rules, its limits, and the conditions for claiming it.
 */
function jobOptions(
  config: Config,
  { hasLibrarySecret }: Pick<Composition, 'hasLibrarySecret'>,
  fence: Pick<RunningFence, 'problem'>,
  hasSpace: () => Promise<boolean>,
  { log }: Telemetry,
): (kind: JobKind) => JobOptions {
  const canSign = watchSecret(hasLibrarySecret, log);
  const others = { perWorkspace: null };
  const options: { readonly [Kind in JobKind]: JobOptions } = {
    import: {
      rules: importRules(config.importRetryDelays),
      perWorkspace: config.importConcurrencyPerWorkspace,
      mayClaim: hasSpace,
    },
    fit: { ...others, rules: JOB_RULES.fit, mayClaim: hasSpace },
    cover: { ...others, rules: JOB_RULES.cover, mayClaim: hasSpace },
    preview: { ...others, rules: JOB_RULES.preview, mayClaim: hasSpace },
    delivery: { ...others, rules: JOB_RULES.delivery, mayClaim: canSign },
    check: { ...others, rules: JOB_RULES.check },
    // A removal only moves files to the trash, so it needn't wait until it is certain that no copy of the database is
    // in use. If this database is itself a copy, the original library restores the files of its items from the trash.
    removal: { ...others, rules: JOB_RULES.removal, mayClaim: async () => fence.problem() === null },
  };
  return (kind) => options[kind];
}

function watchSpace({ freeSpace }: Composition['store'], log: Telemetry['log']): () => Promise<boolean> {
  let isLow = false;
  return async () => {
    const hasSpace = freeSpace === null || (await freeSpace.has(0));
    if (hasSpace === isLow) {
      isLow = !hasSpace;
      if (isLow)
        log.warn('the disk is low on space (MIN_FREE_DISK_MB): uploads are refused, and jobs that store files wait');
      else log.info('the disk has space again');
    }
    return hasSpace;
  };
}

function watchSecret(hasLibrarySecret: Composition['hasLibrarySecret'], log: Telemetry['log']): () => Promise<boolean> {
  let canSign = false;
  let isLogged = false;
  return async () => {
    canSign ||= await hasLibrarySecret();
    if (!canSign && !isLogged) {
      isLogged = true;
      log.warn('JWT_SECRET is not the secret of the library: this process does not deliver webhooks');
    }
    return canSign;
  };
}

/**
 * Returns a function that logs at most one line per {@link PROGRESS_INTERVAL} and job. The first line is logged only
 * after this interval.
 */
function throttle({ log }: Telemetry): (job: Job<'fit'>, percent: number) => void {
  const last = new WeakMap<Job, number>();
  return (job, percent) => {
    const now = performance.now();
    const before = last.get(job);
    if (before !== undefined && now - before < PROGRESS_INTERVAL) return;
    if (before !== undefined)
      log.info({ media: job.subjectId, target: job.payload.target, percent }, 'fitting a file to a target');
    last.set(job, now);
  };
}
