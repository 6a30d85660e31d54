import type { Config } from '../../config/config.ts';
import type { Place } from '../../http/listen.ts';
import { type ProbeServer, startProbeServer } from '../../http/probe-server.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { createJobs } from '../../worker/jobs.ts';
import { startTasks } from '../../worker/tasks.ts';
import { logMachineSoon, type StartedService, startService } from './start.ts';
import { stopOnSignal } from './until-stopped.ts';

/**
 * `postshelf worker`: runs jobs and garbage collection without the API; with `WORKER_PORT`, also serves metrics and
 * readiness.
 */
export async function work(): Promise<void> {
  const service = await startService({ signs: false }, placeOfProbes);
  const { config, log, tracing, composition, fence } = service;
  const { metrics, probes } = await answerProbes(service);
  const telemetry = { log, tracing, metrics };
  const jobs = createJobs(config, composition, fence, telemetry);
  jobs.start();
  fence.start();
  const tasks = startTasks(config, composition, fence, telemetry);
  // From now on signals are handled. The shutdown has no delay, because no load balancer has to notice it first.
  const stopped = stopOnSignal({ ...config, shutdownDelay: 0 }, log, {
    announce: () => probes?.announceStop(),
    async finish() {
      await Promise.all([jobs.stop(), tasks.stop()]);
      // The fence is stopped last. Until then, commands that copy the library see from its lease that the library is in
      // use.
      await fence.stop();
      return 0;
    },
    async close() {
      await probes?.stop();
      await tracing.stop();
      await composition.close();
    },
  });
  log.info({ data: config.dataDir }, 'working on jobs');
  logMachineSoon(log, config, composition);
  await stopped;
}

const placeOfProbes = ({ host, workerPort }: Config): Place | null =>
  workerPort === null ? null : { host, port: workerPort, setting: 'WORKER_PORT' };

/** Starts the server for probes and returns it with its metrics; without `WORKER_PORT`, both are null. */
async function answerProbes({ config, log, composition, fence, openMetrics, hasAccess }: StartedService): Promise<{
  readonly metrics: Metrics | null;
  readonly probes: ProbeServer | null;
}> {
  const place = placeOfProbes(config);
  if (place === null) return { metrics: null, probes: null };
  const metrics = openMetrics(['imports', 'covers', 'previews', 'fits', 'deliveries', 'hashes']);
  const onFault = (err: unknown): void => log.error({ err }, 'request failed');
  const probes = await startProbeServer(place, { ...composition, fence }, metrics, hasAccess, onFault);
  log.info(`answering probes on ${place.host}:${place.port}`);
  return { metrics, probes };
}
