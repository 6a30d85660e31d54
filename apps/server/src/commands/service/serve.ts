import { WORK_KINDS } from '@postshelf/domain';
import { startServer } from '../../http/server.ts';
import { createImportLoop } from '../../worker/import-loop.ts';
import { startSecretTimer } from '../../worker/secret-timer.ts';
import { startLoops } from './loops.ts';
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
  const loops = options.worker ? startLoops(config, composition, fence, telemetry) : null;
  const secrets = startSecretTimer(composition, log);
  // From then on it may be asked to stop.
  const stopped = stopOnSignal(config, log, {
    announce: () => server.announceStop(),
    async finish(deadline) {
      const others = [imports, loops, secrets].map((each) => each?.stop());
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
