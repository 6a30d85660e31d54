import { compose } from '../../compose/compose.ts';
import { readConfig } from '../../config/config.ts';
import { startServer } from '../../http/server.ts';
import { UploadSlots } from '../../http/upload-slots.ts';
import { createLog } from '../../telemetry/log/log.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import { startTracing } from '../../telemetry/tracing/start.ts';
import { startGarbageTimer } from '../../worker/gc-timer.ts';
import { createImportLoop } from '../../worker/import-loop.ts';
import { startObjectCheckTimer } from '../../worker/object-check-timer.ts';
import { warnOutOfReach } from './out-of-reach.ts';
import { sayCovers } from './say-covers.ts';
import { sayOwnership } from './say-ownership.ts';
import { sayProgram, watchStart } from './say-start.ts';
import { untilStopped } from './until-stopped.ts';
import { welcome } from './welcome.ts';

/** `postshelf serve`: the API and, unless told otherwise, a worker beside it. */
export async function serve(options: { readonly welcome?: boolean; readonly worker: boolean }): Promise<void> {
  const config = readConfig();
  const { log, logRequest, print, droppedLines } = await createLog(config);
  sayProgram(log);
  const sayLibrary = watchStart(config);
  const tracing = await startTracing(config.tracing, log);
  const composed = await compose(config);
  await sayLibrary(log, composed);
  warnOutOfReach(composed.store, log);
  sayOwnership(composed, log);
  const composition = { ...composed, ports: tracing.ports(composed.ports) };
  const { ports } = composition;
  const { room } = composition.store;
  const slots = new UploadSlots(config.uploadConcurrency);
  const metrics = new Metrics({
    uploads: () => slots.figures,
    imports: () => ports.imports.depth(),
    objectCheck: () => ports.objectChecks.find(),
    freeDisk: async () => (await room?.free()) ?? null,
    droppedLines,
    pool: composition.database.pool,
    onError: (figure, err) => log.warn({ err, figure }, 'a figure could not be read'),
  });
  const telemetry = { log, tracing, metrics };
  const imports = options.worker ? createImportLoop(config, ports, room, telemetry) : null;
  const server = await startServer(config, {
    composition,
    worker: imports?.worker ?? null,
    telemetry,
    logRequest,
    slots,
  });
  // Behind the first answers, and not at all where the address is taken.
  imports?.start();
  const garbage = options.worker ? startGarbageTimer(config, ports, telemetry) : null;
  const objects = options.worker ? startObjectCheckTimer(config, ports, telemetry) : null;
  // Who hears that it listens may tell it to stop.
  const stopped = untilStopped(config, log, {
    announce: () => server.announceStop(),
    async finish(deadline) {
      const [cutOff] = await Promise.all([server.stop(deadline), imports?.stop(), garbage?.stop(), objects?.stop()]);
      // Once more, for what the last requests handed over.
      await imports?.stop();
      return cutOff;
    },
    async close() {
      await tracing.stop();
      await composition.close();
    },
  });
  log.info({ url: config.publicUrl, data: config.dataDir }, `listening on ${config.host}:${config.port}`);
  sayCovers(log, composition);
  if (options.welcome) await welcome(config, ports, print);
  await stopped;
}
