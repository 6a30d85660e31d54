import { isatty } from 'node:tty';
import { WORK_KINDS } from '@postshelf/domain';
import { placeOfServer, startServer } from '../../http/server.ts';
import { createJobs } from '../../worker/jobs.ts';
import { repeat } from '../../worker/repeat.ts';
import { secretTask, startTasks } from '../../worker/tasks.ts';
import { logMachineSoon, startService } from './start.ts';
import { stopOnSignal } from './until-stopped.ts';
import { welcome } from './welcome.ts';

export async function serve(options: { readonly welcome?: boolean; readonly worker: boolean }): Promise<void> {
  const isTried = options.welcome === true && isatty(1);
  const { config, log, logRequest, print, tracing, composition, fence, openMetrics, hasAccess } = await startService(
    { signs: true },
    placeOfServer,
    isTried,
  );
  const { ports } = composition;
  const metrics = openMetrics(WORK_KINDS);
  const telemetry = { log, tracing, metrics };
  const jobs = options.worker ? createJobs(config, composition, fence, telemetry) : null;
  const server = await startServer(config, {
    composition,
    fence,
    runner: jobs?.runner ?? null,
    telemetry,
    logRequest,
    hasAccess,
  });
  // Jobs start only once the server answers, and not at all if the address is in use.
  jobs?.start();
  fence.start();
  const tasks = options.worker ? startTasks(config, composition, fence, telemetry) : null;
  const secrets = repeat(secretTask(composition, log), log);
  // From now on signals are handled.
  const stopped = stopOnSignal(config, log, {
    announce: () => server.announceStop(),
    async finish(deadline) {
      const others = [jobs, tasks, secrets].map((each) => each?.stop());
      const [cutOff] = await Promise.all([server.stop(deadline), ...others]);
      // The last requests may have started jobs after the first call of `jobs.stop()`, so it is called again.
      await jobs?.stop();
      // The fence is stopped last. Until then, commands that copy the library see from its lease that the library is in
      // use.
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
