import { Refusal } from '@postshelf/domain';
import { type Kysely, sql } from 'kysely';
import { SEARCH_KEYS_INDEX } from '../search/postgres/search-index.ts';
import type { SearchIndexReport } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import { sqlStateOf } from './errors.ts';
import type { PoolSettings } from './pool.ts';
import { openStore } from './store.ts';

const INTERVAL = 600_000;

const CANCELLED = '57014';

/** Codes with which the server refuses to create the extension: no right to, or it isn't installed (two versions). */
const NO_EXTENSION = new Set(['42501', '0A000', '58P01']);

const REMEDY = '; run as a role with that right: create extension pg_trgm';

export function searchIndexKeeper(settings: PoolSettings): (signal: AbortSignal) => Promise<SearchIndexReport> {
  let [askAt, obstacle] = [0, null as string | null];
  return async (signal) => {
    // With a time of day, the next attempt would be delayed if the machine's clock was ahead and has been set back.
    if (performance.now() >= askAt) {
      obstacle = await obstacleOf(settings, signal);
      askAt = performance.now() + INTERVAL;
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
    return `${cause instanceof Error ? cause.message : String(cause)}${NO_EXTENSION.has(state) ? REMEDY : ''}`;
  } finally {
    await unlimited.close();
  }
}

const LOCK = sql`hashtextextended('postshelf search index', 0)`;

/**
 * Creates the search index without blocking writes, unless it exists, another process is creating it or the signal is
 * aborted. If the process is killed meanwhile, an invalid index is left, which the next call replaces.
 *
 * @param queries a pool of at least two connections: one creates the index, without time limits; the other cancels its
 *   creation
 */
export const makeSearchIndex = (queries: Kysely<Tables>, signal: AbortSignal): Promise<void> =>
  queries.connection().execute((connection) => makeOnce(connection, queries, signal));

async function makeOnce(connection: Kysely<Tables>, canceller: Kysely<Tables>, signal: AbortSignal): Promise<void> {
  const { rows } = await sql<{ valid: boolean | null; mine: boolean; pid: number }>`
    select (select indisvalid from pg_catalog.pg_index where indexrelid = to_regclass(${SEARCH_KEYS_INDEX})) as valid,
      pg_try_advisory_lock(${LOCK}) as mine, pg_backend_pid() as pid`.execute(connection);
  const [found] = rows;
  if (!found?.mine) return;
  const cancel = (): void =>
    void sql`select pg_cancel_backend(${found.pid}::integer)`.execute(canceller).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    if (found.valid === true || signal.aborted) return;
    await sql`select set_config('lock_timeout', '0', false)`.execute(connection);
    await sql`create extension if not exists pg_trgm`.execute(connection);
    if (found.valid === false) await sql`drop index concurrently ${sql.table(SEARCH_KEYS_INDEX)}`.execute(connection);
    // Few entries may be pending, because the insert that exceeds the limit has to merge all pending entries into the
    // index.
    await sql`
      create index concurrently ${sql.table(SEARCH_KEYS_INDEX)} on media using gin (search_key gin_trgm_ops)
        with (gin_pending_list_limit = 256) where cover_of is null`.execute(connection);
  } finally {
    signal.removeEventListener('abort', cancel);
    await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
  }
}
