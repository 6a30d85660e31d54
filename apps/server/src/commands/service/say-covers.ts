import type { Composition } from '../../compose/compose.ts';
import type { Logger } from '../../telemetry/log/log.ts';

/** Says once, soon after the start, whether videos will have covers. Nobody waits for it. */
export function sayCovers(log: Logger, { ffmpeg }: Pick<Composition, 'ffmpeg'>): void {
  ffmpeg().then(
    (found) => {
      if (found) log.info({ ffmpeg: found }, 'video covers are made by ffmpeg');
      else log.warn('ffmpeg was not found: videos will have no cover. Install it or set FFMPEG_PATH.');
    },
    (err: unknown) => log.error({ err }, 'looking for ffmpeg failed'),
  );
}
