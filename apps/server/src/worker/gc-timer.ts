import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage, OwnershipRefused, type Resources } from '@postshelf/application';
import { describeWithheld } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import { showReport, timed } from '../telemetry/garbage.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';
import type { RunningFence } from './fence-timer.ts';

const INTERVAL = 60 * 60 * 1000;

const LOOK = 1000;

/**
 * At the start and every hour, and what the first must not touch as soon as the database is known to have no copy at
 * work. `stop` ends a collection before its next object.
 */
export function startGarbageTimer(
  { trashAge, maxOrphansPercent }: Pick<Config, 'trashAge' | 'maxOrphansPercent'>,
  ports: Resources,
  fence: Pick<RunningFence, 'isOwner'>,
  { log, metrics, tracing }: Telemetry,
): { stop(): Promise<void> } {
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
      // The one line has all details.
      log.error({ problem: error.problem }, error.message);
    }
  };
  const collectWhenOwner = async (signal: AbortSignal): Promise<void> => {
    const isOwner = fence.isOwner();
    await collect(signal, isOwner);
    if (isOwner) return;
    while (!fence.isOwner() && !signal.aborted) await delay(LOOK, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await collect(signal, true);
  };
  return every(INTERVAL, collectWhenOwner, log);
}
