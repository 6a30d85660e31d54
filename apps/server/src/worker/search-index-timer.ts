import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@postshelf/database';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds behind the start, which is not to be slower for it. */
const START_DELAY = 2_000;

/** Milliseconds between two looks whether the index lacks anything; nothing is written where it doesn't. */
const INTERVAL = 2_000;

/** Entries at once that are worth a line. */
const MANY = 10_000;

/** Keeps the index of searches up to date, a little behind what is written. Until it is, searches look at more items. */
export function startSearchIndexTimer(
  { keepSearchIndex }: Pick<Database, 'keepSearchIndex'>,
  { log }: Pick<Telemetry, 'log'>,
): { stop(): Promise<void> } {
  let isFirst = true;
  let told: string | null = null;
  const work = async (signal: AbortSignal): Promise<void> => {
    if (isFirst) {
      await delay(START_DELAY, undefined, { signal, ref: false }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
    if (signal.aborted) return;
    isFirst = false;
    const { entries, obstacle } = await keepSearchIndex(signal);
    if (entries >= MANY) log.info({ entries }, 'the index of searches was brought up to date');
    if (obstacle !== null && told === null) log.warn({ obstacle }, 'searches look at every item of a workspace');
    told = obstacle;
  };
  return every(INTERVAL, work, log);
}
