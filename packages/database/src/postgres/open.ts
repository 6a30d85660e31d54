import { Refusal } from '@postshelf/domain';
import { sql } from 'kysely';
import { Client } from 'pg';
import { type Database, UnusableDatabase } from '../database.ts';
import { migrate, migrationState, pendingMigrations } from '../migrations/migrate.ts';
import { POSTGRES_MIGRATIONS } from '../migrations/postgres/index.ts';
import { repositories } from '../repositories/repositories.ts';
import { reasonOf } from './errors.ts';
import { lockSchema } from './locks.ts';
import type { PoolSettings } from './pool.ts';
import { rowAccess } from './row-access.ts';
import { openStore, type PostgresStore } from './store.ts';

export interface PostgresOptions {
  /** Connections at most; queries beyond them wait. Default 10. */
  readonly poolSize?: number;
  /** How long a statement may take, waiting for locks included, milliseconds; then it is `unavailable`. Default 10000. */
  readonly statementTimeoutMs?: number;
  /** How long a query waits for a connection, milliseconds; then it is `unavailable`. Default 5000. */
  readonly connectTimeoutMs?: number;
}

const DEFAULTS = { poolSize: 10, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 } as const;

/**
 * Opens a database of a PostgreSQL server, which must be there; runs no migrations. A server that goes away later makes
 * queries `unavailable` until it is back.
 *
 * @param url `postgres://user:password@host:port/database`, as libpq takes it (postgresql.org/docs/current/libpq-connect.html, 34.1.1.2)
 * @throws UnusableDatabase when it can't be reached, lets nobody in or isn't kept in UTF-8; the password isn't in it
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { poolSize, statementTimeoutMs, connectTimeoutMs } = { ...DEFAULTS, ...options };
  const settings: PoolSettings = {
    url,
    size: poolSize,
    statementTimeout: statementTimeoutMs,
    connectTimeout: connectTimeoutMs,
  };
  const name = nameOf(url);
  const store = openStore(settings);
  try {
    await checkEncoding(store);
  } catch (error) {
    await store.close();
    const cause = error instanceof Refusal ? error.cause : error;
    throw new UnusableDatabase(`Cannot open the database ${name}: ${reasonOf(cause)}`, { cause });
  }
  return {
    ...repositories(store),
    migrate: () => migrateAlone(settings),
    migrations: () => migrationState(store.reads, POSTGRES_MIGRATIONS),
    async check() {
      const pending = await pendingMigrations(store.reads, POSTGRES_MIGRATIONS);
      if (pending.length === 0) return;
      throw new Refusal({ code: 'unavailable', message: `The database lacks the migration ${pending.join(', ')}.` });
    },
    // Each query asks the server.
    renew: () => undefined,
    rows: rowAccess(store, nameOf(url)),
    backups: null,
    pool: () => store.figures(),
    close: () => store.close(),
  };
}

async function checkEncoding({ reads }: PostgresStore): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(
    reads,
  );
  const [{ encoding } = { encoding: '' }] = rows;
  if (encoding !== 'UTF8') throw new Error(`it is kept in ${encoding}, which cannot hold every name; make one in UTF8`);
}

/** Over a connection without time limits: a migration takes as long as the tables are large, or another process takes. */
async function migrateAlone(settings: PoolSettings): Promise<readonly string[]> {
  const store = openStore({ ...settings, size: 1, statementTimeout: 0 });
  try {
    return await store.transact(async (transaction) => {
      for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
        await sql`select set_config(${limit}, '0', true)`.execute(transaction);
      }
      await lockSchema(transaction);
      return migrate(transaction, POSTGRES_MIGRATIONS);
    });
  } finally {
    await store.close();
  }
}

/**
 * What people may know of an address: all but the password and the options.
 *
 * @throws UnusableDatabase for one that the driver can't read
 */
function nameOf(url: string): string {
  try {
    const { user, host, port, database } = new Client(url);
    return `postgres://${user}@${host}:${port}/${database}`;
  } catch (cause) {
    throw new UnusableDatabase(`The address of the database cannot be read: ${reasonOf(cause)}`, { cause });
  }
}
