import { Refusal } from '@postshelf/domain';
import { makeSearchIndex } from '../search/postgres/make-search-index.ts';
import type { SearchIndexReport } from '../store/database.ts';
import { sqlStateOf } from './errors.ts';
import type { PoolSettings } from './pool.ts';
import { openStore } from './store.ts';

const INTERVAL = 600_000;

const CANCELLED = '57014';

export function searchIndexKeeper(settings: PoolSettings): (signal: AbortSignal) => Promise<SearchIndexReport> {
  let [askAt, obstacle] = [0, null as string | null];
  return async (signal) => {
    if (Date.now() >= askAt) {
      obstacle = await obstacleOf(settings, signal);
      askAt = Date.now() + INTERVAL;
    }
    return { entries: 0, obstacle };
  };
}

/** Returns why the search index can't be created, with a remedy; null if nothing is wrong. */
async function obstacleOf(settings: PoolSettings, signal: AbortSignal): Promise<string | null> {
  const unlimited = openStore({ ...settings, size: 2, statementTimeout: 0 });
  try {
    await makeSearchIndex(unlimited.reads, signal);
    return null;
  } catch (error) {
    const cause = error instanceof Refusal ? error.cause : error;
    const state = sqlStateOf(cause);
    if (state === null) throw error;
    if (state === CANCELLED && signal.aborted) return null;
    return `${cause instanceof Error ? cause.message : String(cause)}; run as a role with that right: create extension pg_trgm`;
  } finally {
    await unlimited.close();
  }
}
