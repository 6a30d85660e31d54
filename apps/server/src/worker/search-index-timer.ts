import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@postshelf/database';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

/** Milliseconds after the start, so as not to slow it down. */
const START_DELAY = 2_000;

/** Milliseconds between two checks whether the index is complete; if it is, nothing is written. */
const INTERVAL = 2_000;

/** Least number of entries in one update that is logged. */
const MANY = 10_000;

/** Keeps the search index up to date, slightly after items change. Until it is up to date, searches read more items. */
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
    if (entries >= MANY) log.info({ entries }, 'the search index was brought up to date');
    if (obstacle !== null && told === null) log.warn({ obstacle }, 'searches read every item of a workspace');
    told = obstacle;
  };
  return every(INTERVAL, work, log);
}
