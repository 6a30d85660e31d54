import type { Composition } from '../compose.ts';
import type { Logger } from '../telemetry/log.ts';

/** Says once, at start, whether videos will have covers. */
export function sayCovers(log: Logger, { ffmpeg }: Pick<Composition, 'ffmpeg'>): void {
  if (ffmpeg) log.info({ ffmpeg }, 'video covers are made by ffmpeg');
  else log.warn('ffmpeg was not found: videos will have no cover. Install it or set FFMPEG_PATH.');
}
