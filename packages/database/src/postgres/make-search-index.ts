import { Refusal } from '@postshelf/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { sqlStateOf } from './errors.ts';
import type { PoolSettings } from './pool.ts';
import { SEARCH_KEYS_INDEX } from './search-totals.ts';
import { openStore } from './store.ts';

/** Of all processes over the database, one makes it. */
const LOCK = sql`hashtextextended('postshelf search index', 0)`;

/** What the server says of a statement that was cancelled. */
const CANCELLED = '57014';

/**
 * Makes the search index beside other work, unless it is there (postgresql.org/docs/current/sql-createindex.html,
 * "Building Indexes Concurrently"); over a connection without time limits, since it takes as long as the table is large. One that was
 * killed or aborted meanwhile leaves an index that isn't valid, and the next begins anew.
 *
 * @returns why it can't be made, with what helps; null where it is there, or another process makes it
 */
export async function makeSearchIndex(settings: PoolSettings, signal: AbortSignal): Promise<string | null> {
  // One more, to cancel what the other is at.
  const store = openStore({ ...settings, size: 2, statementTimeout: 0 });
  try {
    return await store.reads.connection().execute((connection) => makeOnce(connection, store.reads, signal));
  } catch (error) {
    const cause = error instanceof Refusal ? error.cause : error;
    const state = sqlStateOf(cause);
    if (state === null) throw error;
    if (state === CANCELLED && signal.aborted) return null;
    return `${cause instanceof Error ? cause.message : String(cause)}; what helps, by a role that may: create extension pg_trgm`;
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
    // What is new waits in a list, which is short so that nobody's insert works it off for long.
    await sql`
      create index concurrently ${sql.table(SEARCH_KEYS_INDEX)} on media using gin (search_key gin_trgm_ops)
        with (gin_pending_list_limit = 256) where cover_of is null`.execute(connection);
    return null;
  } finally {
    signal.removeEventListener('abort', cancel);
    await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
  }
}
