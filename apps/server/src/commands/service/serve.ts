import { WORK_KINDS } from '@postshelf/domain';
import { startServer } from '../../http/server.ts';
import { startCoverLoop } from '../../worker/cover-loop.ts';
import { startFitLoops } from '../../worker/fit-loops.ts';
import { startGarbageTimer } from '../../worker/gc-timer.ts';
import { createImportLoop } from '../../worker/import-loop.ts';
import { startInspectAgainLoop } from '../../worker/inspect-again-loop.ts';
import { startObjectCheckTimer } from '../../worker/object-check-timer.ts';
import { startPreviewLoop } from '../../worker/preview-loop.ts';
import { startRemovalTimer } from '../../worker/removal-timer.ts';
import { startSearchIndexTimer } from '../../worker/search-index-timer.ts';
import { startSecretTimer } from '../../worker/secret-timer.ts';
import { startVacuumTimer } from '../../worker/vacuum-timer.ts';
import { startWebhookLoops } from '../../worker/webhook-loops.ts';
import { logMachineSoon, startService } from './start.ts';
import { stopOnSignal } from './until-stopped.ts';
import { welcome } from './welcome.ts';

export async function serve(options: { readonly welcome?: boolean; readonly worker: boolean }): Promise<void> {
  const { config, log, logRequest, print, tracing, composition, fence, openMetrics, hasAccess } = await startService({
    signs: true,
  });
  const { ports, store } = composition;
  const metrics = openMetrics(WORK_KINDS);
  const telemetry = { log, tracing, metrics };
  const imports = options.worker ? createImportLoop(config, ports, store.freeSpace, telemetry) : null;
  const server = await startServer(config, {
    composition,
    fence,
    worker: imports?.worker ?? null,
    telemetry,
    logRequest,
    hasAccess,
  });
  // After the first answers, and not at all if the address is in use.
  imports?.start();
  fence.start();
  const covers = options.worker ? startCoverLoop(ports, telemetry) : null;
  const previews = options.worker ? startPreviewLoop(config, ports, store.freeSpace, telemetry) : null;
  const fits = options.worker ? startFitLoops(ports, telemetry) : null;
  const webhooks = options.worker ? startWebhookLoops(config, composition, telemetry) : null;
  const garbage = options.worker ? startGarbageTimer(config, ports, fence, telemetry) : null;
  const removals = options.worker ? startRemovalTimer(ports, fence, telemetry) : null;
  const objects = options.worker ? startObjectCheckTimer(config, ports, telemetry) : null;
  const files = options.worker ? startInspectAgainLoop(ports, telemetry) : null;
  const space = options.worker ? startVacuumTimer(composition.database, telemetry) : null;
  const searches = options.worker ? startSearchIndexTimer(composition.database, telemetry) : null;
  const secrets = startSecretTimer(composition, log);
  // From then on it may be asked to stop.
  const stopped = stopOnSignal(config, log, {
    announce: () => server.announceStop(),
    async finish(deadline) {
      const others = [
        imports,
        covers,
        previews,
        fits,
        webhooks,
        garbage,
        removals,
        objects,
        files,
        space,
        searches,
        secrets,
      ].map((each) => each?.stop());
      const [cutOff] = await Promise.all([server.stop(deadline), ...others]);
      // Once more, for imports that the last requests handed over.
      await imports?.stop();
      // Whoever copies the library goes by the fence, so it stays until nothing is written.
      await fence.stop();
      return cutOff;
    },
    async close() {
      await tracing.stop();
      await composition.close();
    },
  });
  log.info({ url: config.publicUrl, data: config.dataDir }, `listening on ${config.host}:${config.port}`);
  logMachineSoon(log, config, composition);
  if (options.welcome) await welcome(config, ports, print);
  await stopped;
}
