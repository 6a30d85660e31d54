import { collectGarbage, OwnershipRefused, type Ports } from '@postshelf/application';
import { describeWithheld } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import { showReport, timed } from '../telemetry/garbage.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds between two collections. */
const INTERVAL = 60 * 60 * 1000;

/**
 * Collects garbage at start and every hour. `stop` ends a running collection before its next object and resolves when
 * it has ended.
 */
export function startGarbageTimer(
  { trashAge, maxOrphansPercent }: Pick<Config, 'trashAge' | 'maxOrphansPercent'>,
  ports: Ports,
  { log, metrics, tracing }: Telemetry,
): { stop(): Promise<void> } {
  const collect = async (signal: AbortSignal): Promise<void> => {
    const options = { trashAge, maxOrphansPercent, signal };
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
  return every(INTERVAL, collect, log);
}
