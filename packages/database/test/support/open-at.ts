import { type Database, openSqlite } from '../../src/index.ts';
import { openPostgres } from '../../src/open-postgres.ts';

/** Longer than any test. Milliseconds. */
const TIMEOUT = 60_000;

/**
 * Opens the database at a test's address: a PostgreSQL URL, else a file of SQLite.
 *
 * @param timeout how long to wait for others, milliseconds
 */
export function openAt(address: string, timeout: number = TIMEOUT): Promise<Database> {
  if (!address.startsWith('postgres:')) return openSqlite(address, { busyTimeoutMs: timeout });
  // Few connections: a server has room for some hundred.
  return openPostgres(address, { poolSize: 4, statementTimeoutMs: timeout, connectTimeoutMs: TIMEOUT });
}
