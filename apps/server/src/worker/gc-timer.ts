import { collectGarbage, type Ports } from '@postshelf/application';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds between two collections. */
const INTERVAL = 60 * 60 * 1000;

/** Collects garbage at start and every hour. `stop` resolves when no collection is under way. */
export function startGarbageTimer(ports: Ports, { log, metrics, tracing }: Telemetry): { stop(): Promise<void> } {
  const collect = async (): Promise<void> => {
    const report = await tracing.task('gc', () => collectGarbage(ports));
    metrics?.garbageCollected(report);
    if (Object.values(report).some((count) => count > 0)) log.info(report, 'garbage collected');
  };
  return every(INTERVAL, collect, log);
}
