import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@postshelf/database';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const START_DELAY = 2_000;

const INTERVAL = 2_000;

const MANY = 10_000;

/** Slightly after items change; until then searches read more items. */
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
