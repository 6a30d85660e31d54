import { collectGarbage, finishRemovals, type Ports } from '@postshelf/application';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { timed } from '../timed.ts';
import { every } from './every.ts';

/** Milliseconds between two collections. */
const INTERVAL = 60 * 60 * 1000;

/** Collects garbage at start and every hour. `stop` resolves when no collection is under way. */
export function startGarbageTimer(ports: Ports, { log, metrics, tracing }: Telemetry): { stop(): Promise<void> } {
  const collect = async (): Promise<void> => {
    try {
      await finishRemovals(ports, (fullName, err) => log.warn({ err, fullName }, 'an object could not be removed'));
      const { result: report, seconds } = await timed(() => tracing.task('gc', () => collectGarbage(ports)));
      metrics?.garbageCollected(report, seconds);
      log.info({ ...report, seconds }, 'garbage collected');
    } catch (error) {
      metrics?.garbageFailed();
      throw error;
    }
  };
  return every(INTERVAL, collect, log);
}
