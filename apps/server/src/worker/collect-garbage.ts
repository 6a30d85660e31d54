import { collectGarbage, OwnershipRefused, type Resources } from '@postshelf/application';
import { describeWithheld } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import { showReport, timed } from '../telemetry/garbage.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { RunningFence } from './fence.ts';
import { type Task, waitUnlessStopped } from './repeat.ts';

const INTERVAL = 60 * 60 * 1000;

/** Milliseconds between checks whether all garbage may be removed. */
const POLL_INTERVAL = 1000;

/**
 * Collects garbage at the start and every hour. Some garbage may be removed only once it is certain that no copy of the
 * database is in use, so there is another collection when that becomes certain. If the task is stopped, a running
 * collection ends before its next object.
 */
export function garbageTask(
  { trashAge, maxOrphansPercent }: Pick<Config, 'trashAge' | 'maxOrphansPercent'>,
  ports: Resources,
  fence: Pick<RunningFence, 'isOwner'>,
  { log, metrics, tracing }: Telemetry,
): Task {
  const collect = async (signal: AbortSignal, isOwner: boolean): Promise<void> => {
    const options = { isOwner, trashAge, maxOrphansPercent, signal };
    try {
      const { result: report, seconds } = await timed(() => tracing.task('gc', () => collectGarbage(ports, options)));
      metrics?.garbageCollected(report, seconds);
      log.info({ ...showReport(report), seconds }, 'garbage collected');
      if (report.withheld) {
        const { reason, orphans: withheld, objects } = report.withheld;
        log.error({ withheld, objects, reason }, describeWithheld(report.withheld));
      }
    } catch (error) {
      metrics?.garbageFailed();
      if (!(error instanceof OwnershipRefused)) throw error;
      // The message says everything that operators need, so the stack isn't logged.
      log.error({ problem: error.problem }, error.message);
    }
  };
  const collectWhenOwner = async (signal: AbortSignal): Promise<void> => {
    const isOwner = fence.isOwner();
    await collect(signal, isOwner);
    if (isOwner) return;
    while (!fence.isOwner() && !signal.aborted) await waitUnlessStopped(POLL_INTERVAL, signal);
    if (!signal.aborted) await collect(signal, true);
  };
  return { name: 'collect garbage', every: INTERVAL, run: collectWhenOwner };
}
