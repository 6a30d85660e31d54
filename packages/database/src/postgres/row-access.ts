import { sql } from 'kysely';
import { COPIED_TABLES } from '../copy/plan.ts';
import type { RowAccess } from '../store/database.ts';
import { sqlStateOf } from './errors.ts';
import type { PostgresStore } from './store.ts';

/** How long to wait for transactions that write, milliseconds. */
const LOCK_TIMEOUT = 10_000;

/** Error codes for time that was up while waiting: a lock's, the statement's. */
const WAITED = new Set(['55P03', '57014']);

/**
 * The rows of a database of a server. It is held still by a lock on its tables that is compatible with reading alone
 * (postgresql.org/docs/current/explicit-locking.html, 13.3.1), for as long as one transaction lasts.
 */
export const rowAccess = ({ reads, transact }: PostgresStore, place: string): RowAccess => ({
  place,
  reads,
  transact,
  holdStill: (work) =>
    transact(async (transaction) => {
      await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT}`}, true)`.execute(transaction);
      // It idles while rows are copied.
      await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(transaction);
      const tables = sql.join(COPIED_TABLES.map(({ name }) => sql.table(name)));
      await sql`lock table ${tables} in share mode`.execute(transaction);
      return work();
    }),
  isBusy: (error) => WAITED.has(sqlStateOf(error) ?? ''),
});
