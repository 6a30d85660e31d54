import { collectGarbage, type Ports } from '@postshelf/application';
import type { Logger } from '../telemetry/log.ts';

/** Milliseconds between two collections. */
const INTERVAL = 60 * 60 * 1000;

/** Collects garbage now and then while the server runs. Answers how to stop it: resolves when no collection is under way. */
export function startGarbageTimer(ports: Ports, log: Logger): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const collect = async (): Promise<void> => {
    try {
      const report = await collectGarbage(ports);
      if (report.staged + report.objects > 0) log.info(report, 'garbage collected');
    } catch (err) {
      log.error({ err }, 'garbage collection failed');
    }
  };
  const timer = setInterval(() => {
    running = running.then(collect);
  }, INTERVAL);
  running = collect();
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}
