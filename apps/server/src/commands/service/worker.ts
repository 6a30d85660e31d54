import { type Composition, compose } from '../../compose/compose.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { type ProbeServer, startProbeServer } from '../../http/probe-server.ts';
import { createLog, type Logger } from '../../telemetry/log/log.ts';
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

/** `postshelf worker`: imports and garbage collection without the API; with `WORKER_PORT`, its figures and whether it is ready. */
export async function work(): Promise<void> {
  const config = readConfig();
  const { log, droppedLines } = await createLog(config);
  sayProgram(log);
  const sayLibrary = watchStart(config);
  const tracing = await startTracing(config.tracing, log);
  const composition = await compose(config, { signs: false });
  await sayLibrary(log, composition);
  warnOutOfReach(composition.store, log);
  sayOwnership(composition, log);
  const ports = tracing.ports(composition.ports);
  const { metrics, probes } = answerProbes(config, composition, log, droppedLines);
  const telemetry = { log, tracing, metrics };
  const imports = createImportLoop(config, ports, composition.store.room, telemetry);
  imports.start();
  const garbage = startGarbageTimer(config, ports, telemetry);
  const objects = startObjectCheckTimer(config, ports, telemetry);
  // Who hears that it works may tell it to stop. Nobody sends it requests who would have to be told first.
  const stopped = untilStopped({ ...config, shutdownDelay: 0 }, log, {
    announce: () => probes?.announceStop(),
    // Imports are given back, not waited for.
    async finish() {
      await Promise.all([imports.stop(), garbage.stop(), objects?.stop()]);
      return 0;
    },
    async close() {
      await probes?.stop();
      await tracing.stop();
      await composition.close();
    },
  });
  log.info({ data: config.dataDir }, 'working on imports');
  sayCovers(log, composition);
  await stopped;
}

/** Both null where nobody can ask. */
function answerProbes(
  config: Config,
  composition: Composition,
  log: Logger,
  droppedLines: () => number,
): { readonly metrics: Metrics | null; readonly probes: ProbeServer | null } {
  const { workerPort: port } = config;
  if (port === null) return { metrics: null, probes: null };
  const { ports, database, store } = composition;
  const metrics = new Metrics({
    uploads: () => null,
    imports: () => ports.imports.depth(),
    objectCheck: () => ports.objectChecks.find(),
    freeDisk: async () => (await store.room?.free()) ?? null,
    droppedLines,
    pool: database.pool,
    onError: (figure, err) => log.warn({ err, figure }, 'a figure could not be read'),
  });
  const onFault = (err: unknown): void => log.error({ err }, 'request failed');
  const probes = startProbeServer(config, port, { ports, database }, metrics, onFault);
  log.info(`answering probes on ${config.host}:${port}`);
  return { metrics, probes };
}
