import { compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { startServer } from '../http/server.ts';
import { createLog } from '../telemetry/log.ts';
import { startGarbageTimer } from '../worker/gc-timer.ts';
import { welcome } from './welcome.ts';

/** Milliseconds that running requests have to end once a stop is asked for. */
const STOP_DEADLINE = 30_000;

/** `postshelf serve`: until SIGINT or SIGTERM, which let running requests end; a second one doesn't wait. */
export async function serve(options: { readonly welcome?: boolean }): Promise<void> {
  const config = readConfig();
  const log = await createLog(config);
  const composition = await compose(config);
  const server = startServer(config, composition, log);
  const garbage = startGarbageTimer(composition.ports, log);
  log.info({ url: config.publicUrl, data: config.dataDir }, `listening on ${config.host}:${config.port}`);
  if (composition.ffmpeg) log.info({ ffmpeg: composition.ffmpeg }, 'video covers are made by ffmpeg');
  else log.warn('ffmpeg was not found: videos will have no cover. Install it or set FFMPEG_PATH.');
  if (options.welcome) await welcome(config, composition.ports);

  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  log.info('stopping: running requests may end');
  const hurry = (): never => process.exit(1);
  process.once('SIGINT', hurry);
  process.once('SIGTERM', hurry);
  setTimeout(() => {
    log.warn('requests were still running at the deadline');
    hurry();
  }, STOP_DEADLINE).unref();
  await Promise.all([server.stop(), garbage.stop()]);
  await composition.close();
  log.info('stopped');
  process.exit(0);
}
