import { compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { startServer } from '../http/server.ts';
import { createLog } from '../telemetry/log.ts';
import { warnOutOfReach } from '../telemetry/out-of-reach.ts';
import { startGarbageTimer } from '../worker/gc-timer.ts';
import { startImportLoop } from '../worker/import-loop.ts';
import { untilStopped } from './until-stopped.ts';
import { welcome } from './welcome.ts';

/** `postshelf serve`: the API and, unless told otherwise, a worker beside it. */
export async function serve(options: { readonly welcome?: boolean; readonly worker: boolean }): Promise<void> {
  const config = readConfig();
  const log = await createLog(config);
  const composition = await compose(config);
  warnOutOfReach(composition.store, log);
  const { ports, ffmpeg } = composition;
  const imports = options.worker ? startImportLoop(config, ports, log) : null;
  const garbage = options.worker ? startGarbageTimer(ports, log) : null;
  const server = startServer(config, composition, imports?.worker ?? null, log);
  log.info({ url: config.publicUrl, data: config.dataDir }, `listening on ${config.host}:${config.port}`);
  if (ffmpeg) log.info({ ffmpeg }, 'video covers are made by ffmpeg');
  else log.warn('ffmpeg was not found: videos will have no cover. Install it or set FFMPEG_PATH.');
  if (options.welcome) await welcome(config, ports);
  await untilStopped(log, async () => {
    // Requests first: they may still hand imports over.
    await server.stop();
    await Promise.all([imports?.stop(), garbage?.stop()]);
    await composition.close();
  });
}
