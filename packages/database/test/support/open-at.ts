import { type Database, openSqlite } from '../../src/index.ts';
import { openPostgres } from '../../src/open-postgres.ts';

/** A timeout in milliseconds that is longer than any test takes. */
const TIMEOUT = 60_000;

/**
 * Opens the database at an address: a PostgreSQL URL, or the path of an SQLite file.
 *
 * @param timeout the maximum time to wait for locks, in milliseconds
 */
export function openAt(address: string, timeout: number = TIMEOUT): Promise<Database> {
  if (!address.startsWith('postgres:')) return openSqlite(address, { busyTimeoutMs: timeout });
  // Each instance has few connections, because a server allows only several hundred.
  return openPostgres(address, { poolSize: 4, statementTimeoutMs: timeout, connectTimeoutMs: TIMEOUT });
}
