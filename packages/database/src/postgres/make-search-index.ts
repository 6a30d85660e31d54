import { Refusal } from '@postshelf/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { sqlStateOf } from './errors.ts';
import type { PoolSettings } from './pool.ts';
import { SEARCH_KEYS_INDEX } from './search-index.ts';
import { openStore } from './store.ts';

/** Held by the one process that creates the index. */
const LOCK = sql`hashtextextended('postshelf search index', 0)`;

/** SQLSTATE of a cancelled statement. */
const CANCELLED = '57014';

/**
 * Creates the search index, unless it exists, without blocking writes
 * (postgresql.org/docs/current/sql-createindex.html, "Building Indexes Concurrently"). Uses a connection without time
 * limits, since the time grows with the table. If it is killed or aborted it leaves an invalid index, which the next
 * call drops.
 *
 * @returns why the index can't be created, with a remedy; null if it exists, was aborted, or another process creates it
 */
export async function makeSearchIndex(settings: PoolSettings, signal: AbortSignal): Promise<string | null> {
  // The second connection cancels the first one's statement.
  const store = openStore({ ...settings, size: 2, statementTimeout: 0 });
  try {
    return await store.reads.connection().execute((connection) => makeOnce(connection, store.reads, signal));
  } catch (error) {
    const cause = error instanceof Refusal ? error.cause : error;
    const state = sqlStateOf(cause);
    if (state === null) throw error;
    if (state === CANCELLED && signal.aborted) return null;
    return `${cause instanceof Error ? cause.message : String(cause)}; run as a role with that right: create extension pg_trgm`;
  } finally {
    await store.close();
  }
}

async function makeOnce(connection: Kysely<Tables>, canceller: Kysely<Tables>, signal: AbortSignal): Promise<null> {
  const { rows } = await sql<{ valid: boolean | null; mine: boolean; pid: number }>`
    select (select indisvalid from pg_catalog.pg_index where indexrelid = to_regclass(${SEARCH_KEYS_INDEX})) as valid,
      pg_try_advisory_lock(${LOCK}) as mine, pg_backend_pid() as pid`.execute(connection);
  const [found] = rows;
  if (!found?.mine) return null;
  const cancel = (): void =>
    void sql`select pg_cancel_backend(${found.pid}::integer)`.execute(canceller).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    if (found.valid === true || signal.aborted) return null;
    await sql`select set_config('lock_timeout', '0', false)`.execute(connection);
    await sql`create extension if not exists pg_trgm`.execute(connection);
    if (found.valid === false) await sql`drop index concurrently ${sql.table(SEARCH_KEYS_INDEX)}`.execute(connection);
    // New entries wait in a pending list. It is kept short, as the insert that fills it has to merge it.
    await sql`
      create index concurrently ${sql.table(SEARCH_KEYS_INDEX)} on media using gin (search_key gin_trgm_ops)
        with (gin_pending_list_limit = 256) where cover_of is null`.execute(connection);
    return null;
  } finally {
    signal.removeEventListener('abort', cancel);
    await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
  }
}
