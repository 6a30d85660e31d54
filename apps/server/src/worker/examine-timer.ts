import { setTimeout as delay } from 'node:timers/promises';
import { examineMedia, type Ports } from '@postshelf/application';
import { Refusal, type Uuid } from '@postshelf/domain';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds between two passes: an upgrade leaves much to do, and then nothing more. */
const INTERVAL = 10 * 60_000;

/** Milliseconds between two items. */
const PAUSE = 50;

/** Looks at the bytes of items of which not all is known, at start and from then on. `stop` resolves when none is being read. */
export function startExamineTimer(ports: Ports, { log }: Telemetry): { stop(): Promise<void> } {
  // Kept over the passes of this process; the next one tries again.
  const unreadable = new Set<Uuid>();
  const examine = async (signal: AbortSignal): Promise<void> => {
    let examined = 0;
    const before = unreadable.size;
    const pause = (): Promise<void> =>
      delay(PAUSE, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    const onItem = (media: Uuid, outcome: string): void => {
      if (outcome === 'examined') examined += 1;
      log.debug({ media, outcome }, 'media item examined');
    };
    try {
      await examineMedia(ports, { signal, unreadable, pause, onItem });
    } catch (error) {
      // Requests have their files read first; the next pass goes on.
      if (!(error instanceof Refusal && error.problem.code === 'busy') && !signal.aborted) throw error;
    }
    const failed = unreadable.size - before;
    if (examined + failed > 0)
      log.info({ examined, unreadable: failed }, 'items of which not all was known were examined');
  };
  return every(INTERVAL, examine, log);
}
