import { compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../telemetry/log.ts';
import { warnOutOfReach } from '../telemetry/out-of-reach.ts';
import { sayOwnership } from '../telemetry/say-ownership.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { startGarbageTimer } from '../worker/gc-timer.ts';
import { createImportLoop } from '../worker/import-loop.ts';
import { sayCovers } from './say-covers.ts';
import { untilStopped } from './until-stopped.ts';

/** `postshelf worker`: imports and garbage collection without the API. */
export async function work(): Promise<void> {
  const config = readConfig();
  const { log } = await createLog(config);
  const tracing = await startTracing(config.tracing, log);
  const composition = await compose(config, { signs: false });
  warnOutOfReach(composition.store, log);
  sayOwnership(composition, log);
  const ports = tracing.ports(composition.ports);
  const telemetry = { log, tracing, metrics: null };
  const imports = createImportLoop(config, ports, composition.store.room, telemetry);
  imports.start();
  const garbage = startGarbageTimer(config, ports, telemetry);
  // Who hears that it works may tell it to stop. Nobody sends it requests who would have to be told first.
  const stopped = untilStopped({ ...config, shutdownDelay: 0 }, log, {
    announce: () => undefined,
    // Imports are given back, not waited for.
    async finish() {
      await Promise.all([imports.stop(), garbage.stop()]);
      return 0;
    },
    async close() {
      await tracing.stop();
      await composition.close();
    },
  });
  log.info({ data: config.dataDir }, 'working on imports');
  sayCovers(log, composition);
  await stopped;
}
