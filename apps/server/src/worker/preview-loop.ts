import { setTimeout as delay } from 'node:timers/promises';
import { makeDuePreviews, type Ports } from '@postshelf/application';
import type { FreeSpace } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds between two looks for new pictures, and between two makings while files come. */
const POLL_INTERVAL = 1_000;

/** Milliseconds behind the start, which is not to be slower for it. */
const START_DELAY = 3_000;

const LEVELS = {
  made: 'debug',
  failed: 'info',
  gone: 'debug',
  missing: 'error',
  unkept: 'warn',
  later: 'debug',
  fault: 'error',
} as const;

/**
 * Makes the previews of new pictures before anybody asks, one item at a time, from its start until stopped. `stop` ends the
 * making that is under way.
 *
 * @param freeSpace where there is none they are made when asked for; null: there always is some
 * @returns null where the settings want none
 */
export function startPreviewLoop(
  { previewsAhead }: Pick<Config, 'previewsAhead'>,
  ports: Ports,
  freeSpace: FreeSpace | null,
  { log, metrics }: Telemetry,
): { stop(): Promise<void> } | null {
  if (!previewsAhead) return null;
  let isFirst = true;
  const make = async (signal: AbortSignal): Promise<void> => {
    if (isFirst) await delay(START_DELAY, undefined, { signal }).catch(() => undefined);
    isFirst = false;
    if (signal.aborted) return;
    if (freeSpace !== null && !(await freeSpace.has(0))) return;
    await makeDuePreviews(ports, {
      signal,
      random: Math.random,
      onEnd({ id, outcome, cause }) {
        metrics?.previewsEnded(outcome);
        log[LEVELS[outcome]]({ media: id, outcome, err: cause }, 'previews');
      },
    });
  };
  return every(POLL_INTERVAL, make, log);
}
