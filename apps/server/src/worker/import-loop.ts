import { randomUUID } from 'node:crypto';
import { ImportRejected, ImportWorker, type Resources } from '@postshelf/application';
import { type FreeSpace, RemoteError } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const POLL_INTERVAL = 1_000;

/** Milliseconds until another worker may continue an import after a kill. */
const LEASE_TIME = 30_000;
const RENEW_INTERVAL = LEASE_TIME / 3;

const LEVELS = { active: 'info', failed: 'info', retry: 'info', dropped: 'info', fault: 'error' } as const;

/** As in the line of a refused request. */
function reasonOf(cause: unknown): { readonly field?: string; readonly code?: string } {
  if (cause instanceof ImportRejected) return { field: 'url', code: cause.reason };
  return cause instanceof RemoteError ? { field: 'url', code: cause.problem.kind } : {};
}

export interface ImportLoop {
  readonly worker: ImportWorker;
  /** Starts claiming due imports; those that requests hand over are processed even before. */
  start(): void;
  /** Releases running imports and resolves when none is left. */
  stop(): Promise<void>;
}

/** @param freeSpace due imports wait while there is none; null: it isn't limited */
export function createImportLoop(
  config: Config,
  ports: Resources,
  freeSpace: FreeSpace | null,
  telemetry: Telemetry,
): ImportLoop {
  const { log, metrics, tracing } = telemetry;
  let isWaiting = false;
  const claimBy = async (claim: () => Promise<void>): Promise<void> => {
    const mustWait = freeSpace !== null && !(await freeSpace.has(0));
    if (mustWait !== isWaiting) {
      isWaiting = mustWait;
      if (mustWait) log.warn('the disk is low on space (MIN_FREE_DISK_MB): uploads are refused and imports wait');
      else log.info('the disk has space again');
    }
    if (!mustWait) await claim();
  };
  const worker = new ImportWorker(ports, {
    owner: randomUUID(),
    perWorkspace: config.importConcurrencyPerWorkspace,
    leaseTime: LEASE_TIME,
    retryDelays: config.importRetryDelays,
    onSlotFree: () =>
      void tracing
        .apart(() => claimBy(() => worker.claimDue()))
        .catch((err: unknown) => log.error({ err }, 'claiming imports failed')),
    within: (work) => tracing.task('import', work),
    onOutcome({ mediaId, outcome, cause, requestId }) {
      metrics?.importEnded(outcome);
      const reason = reasonOf(cause);
      log[LEVELS[outcome]]({ id: requestId, media: mediaId, outcome, ...reason, err: cause }, 'import');
    },
  });
  const timers = [every(RENEW_INTERVAL, () => worker.renewLeases(), log)];
  return {
    worker,
    start: () => void timers.push(every(POLL_INTERVAL, () => claimBy(() => worker.claimDue()), log)),
    async stop() {
      await Promise.all([...timers.map((timer) => timer.stop()), worker.stop()]);
    },
  };
}
