import { type ProbeServer, startProbeServer } from '../../http/probe-server.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { startCoverLoop } from '../../worker/cover-loop.ts';
import { startFitLoops } from '../../worker/fit-loops.ts';
import { startGarbageTimer } from '../../worker/gc-timer.ts';
import { createImportLoop } from '../../worker/import-loop.ts';
import { startInspectAgainLoop } from '../../worker/inspect-again-loop.ts';
import { startObjectCheckTimer } from '../../worker/object-check-timer.ts';
import { startPreviewLoop } from '../../worker/preview-loop.ts';
import { startRemovalTimer } from '../../worker/removal-timer.ts';
import { startSearchIndexTimer } from '../../worker/search-index-timer.ts';
import { startVacuumTimer } from '../../worker/vacuum-timer.ts';
import { startWebhookLoops } from '../../worker/webhook-loops.ts';
import { logMachineSoon, type StartedService, startService } from './start.ts';
import { stopOnSignal } from './until-stopped.ts';

/**
 * `postshelf worker`: imports and garbage collection without the API; with `WORKER_PORT`, also metrics and readiness.
 */
export async function work(): Promise<void> {
  const service = await startService({ signs: false });
  const { config, log, tracing, composition, fence } = service;
  const { ports } = composition;
  const { metrics, probes } = answerProbes(service);
  const telemetry = { log, tracing, metrics };
  const imports = createImportLoop(config, ports, composition.store.freeSpace, telemetry);
  imports.start();
  fence.start();
  const covers = startCoverLoop(ports, telemetry);
  const previews = startPreviewLoop(config, ports, composition.store.freeSpace, telemetry);
  const fits = startFitLoops(ports, telemetry);
  const webhooks = startWebhookLoops(config, composition, telemetry);
  const garbage = startGarbageTimer(config, ports, fence, telemetry);
  const removals = startRemovalTimer(ports, fence, telemetry);
  const objects = startObjectCheckTimer(config, ports, telemetry);
  const files = startInspectAgainLoop(ports, telemetry);
  const space = startVacuumTimer(composition.database, telemetry);
  const searches = startSearchIndexTimer(composition.database, telemetry);
  // From then on it may be asked to stop. There is no load balancer that has to notice first.
  const stopped = stopOnSignal({ ...config, shutdownDelay: 0 }, log, {
    announce: () => probes?.announceStop(),
    async finish() {
      const loops = [imports, covers, previews, fits, webhooks, garbage, removals, objects, files, space, searches];
      await Promise.all(loops.map((loop) => loop?.stop()));
      // Whoever copies the library goes by the fence, so it stays until nothing is written.
      await fence.stop();
      return 0;
    },
    async close() {
      await probes?.stop();
      await tracing.stop();
      await composition.close();
    },
  });
  log.info({ data: config.dataDir }, 'working on imports');
  logMachineSoon(log, config, composition);
  await stopped;
}

/** Both null without `WORKER_PORT`. */
function answerProbes({ config, log, composition, fence, openMetrics, hasAccess }: StartedService): {
  readonly metrics: Metrics | null;
  readonly probes: ProbeServer | null;
} {
  const { workerPort: port } = config;
  if (port === null) return { metrics: null, probes: null };
  const metrics = openMetrics(['imports', 'covers', 'previews', 'fits', 'deliveries', 'hashes']);
  const onFault = (err: unknown): void => log.error({ err }, 'request failed');
  const probes = startProbeServer(config, port, { ...composition, fence }, metrics, hasAccess, onFault);
  log.info(`answering probes on ${config.host}:${port}`);
  return { metrics, probes };
}
