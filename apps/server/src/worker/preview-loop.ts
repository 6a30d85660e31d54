import { setTimeout as delay } from 'node:timers/promises';
import { makeDuePreviews, type Resources } from '@postshelf/application';
import type { FreeSpace } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import { isQuiet, type Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds between two polls for new pictures, and between two items while files are being received. */
const POLL_INTERVAL = 1_000;

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
 * While no request is being answered. `stop` cancels the work in progress.
 *
 * @param freeSpace while there is none, previews are only made on request; null: it isn't limited
 * @returns null if the settings disable it
 */
export function startPreviewLoop(
  { previewsAhead }: Pick<Config, 'previewsAhead'>,
  ports: Resources,
  freeSpace: FreeSpace | null,
  telemetry: Telemetry,
): { stop(): Promise<void> } | null {
  if (!previewsAhead) return null;
  const { log, metrics } = telemetry;
  let isFirst = true;
  const make = async (signal: AbortSignal): Promise<void> => {
    if (isFirst) await delay(START_DELAY, undefined, { signal }).catch(() => undefined);
    isFirst = false;
    if (signal.aborted) return;
    if (freeSpace !== null && !(await freeSpace.has(0))) return;
    await makeDuePreviews(ports, {
      signal,
      random: Math.random,
      isQuiet: () => isQuiet(telemetry),
      onEnd({ id, outcome, cause }) {
        metrics?.previewsEnded(outcome);
        log[LEVELS[outcome]]({ media: id, outcome, err: cause }, 'previews');
      },
    });
  };
  return every(POLL_INTERVAL, make, log);
}
