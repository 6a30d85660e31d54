import { sql } from 'kysely';
import { COPIED_TABLES } from '../copy/plan.ts';
import { withoutEvents } from '../events/end-write.ts';
import type { RowAccess } from '../store/database.ts';
import { sqlStateOf } from './errors.ts';
import type { PostgresStore } from './store.ts';

/** Milliseconds to wait for running write transactions. */
const LOCK_TIMEOUT = 10_000;

const WAITED = new Set(['55P03', '57014']);

/**
 * Access to the plain rows of a PostgreSQL database. `withoutWrites` locks the tables in share mode for one
 * transaction.
 */
export const rowAccess = ({ reads, write, dialect }: PostgresStore, place: string): RowAccess => ({
  place,
  reads,
  write: (work) => write(withoutEvents(dialect.outbox, work)),
  withoutWrites: (work) =>
    write(async (transaction) => {
      await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT}`}, true)`.execute(transaction);
      // The transaction with the locks is idle meanwhile.
      await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(transaction);
      const tables = sql.join(COPIED_TABLES.map(({ name }) => sql.table(name)));
      await sql`lock table ${tables} in share mode`.execute(transaction);
      return work(transaction);
    }),
  isBusy: (error) => WAITED.has(sqlStateOf(error) ?? ''),
});
