import { compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../telemetry/log.ts';
import { warnOutOfReach } from '../telemetry/out-of-reach.ts';
import { startGarbageTimer } from '../worker/gc-timer.ts';
import { startImportLoop } from '../worker/import-loop.ts';
import { untilStopped } from './until-stopped.ts';

/** `postshelf worker`: imports and garbage collection without the API. */
export async function work(): Promise<void> {
  const config = readConfig();
  const log = await createLog(config);
  const composition = await compose(config);
  warnOutOfReach(composition.store, log);
  const imports = startImportLoop(config, composition.ports, log);
  const garbage = startGarbageTimer(composition.ports, log);
  log.info({ data: config.dataDir }, 'working on imports');
  await untilStopped(log, async () => {
    await Promise.all([imports.stop(), garbage.stop()]);
    await composition.close();
  });
}
