import { Refusal } from '@postshelf/domain';
import { sql } from 'kysely';
import { Client } from 'pg';
import { COPIED_TABLES } from './copy/plan.ts';
import { withoutEvents } from './events/end-write.ts';
import { migrate, migrationState, pendingMigrations } from './migrations/migrate.ts';
import { POSTGRES_MIGRATIONS } from './migrations/postgres/index.ts';
import { reasonOf, sqlStateOf } from './postgres/errors.ts';
import { adviceFor, type Grantee } from './postgres/grant-advice.ts';
import { searchIndexKeeper } from './postgres/keep-search-index.ts';
import { lockSchema } from './postgres/locks.ts';
import type { PoolSettings } from './postgres/pool.ts';
import { refuseSharedSessions } from './postgres/pooler.ts';
import { openStore, type PostgresStore } from './postgres/store.ts';
import { requireCreateRight, requireRights, requireSchema, type WorkingSchema } from './postgres/working-schema.ts';
import { repositories } from './repositories.ts';
import type { Database, MigrationState, RowAccess } from './store/database.ts';
import type { Queries } from './store/dialect.ts';
import { UnusableDatabase } from './store/errors.ts';
import type { Tables } from './store/tables.ts';

export interface PostgresOptions {
  /** Maximum number of connections; further queries wait. Default 10. */
  readonly poolSize?: number;
  /**
   * Time limit of a statement in milliseconds, including waiting for locks; a statement that takes longer fails as
   * `unavailable`. Default 10000.
   */
  readonly statementTimeoutMs?: number;
  /** Milliseconds after which a query that still has no connection fails as `unavailable`. Default 5000. */
  readonly connectTimeoutMs?: number;
}

const DEFAULTS = { poolSize: 10, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 } as const;

/**
 * Opens an existing database of a PostgreSQL server; runs no migrations. While the server is unreachable, queries fail
 * as `unavailable`.
 *
 * @param address `postgres://user:password@host:port/database`, as libpq takes it, but each `sslmode` that may use TLS
 *   means `verify-full`
 * @throws UnusableDatabase when the database can't be reached, refuses the login or isn't encoded in UTF-8; the message
 *   never contains the password
 */
export async function openPostgres(address: string, options: PostgresOptions = {}): Promise<Database> {
  const url = withVerification(address);
  const name = nameOf(url);
  const { poolSize, statementTimeoutMs, connectTimeoutMs } = { ...DEFAULTS, ...options };
  // This is assumed until the server has reported the role and the schema.
  let grantee: Grantee = { role: new Client(url).user ?? '', schema: 'public' };
  const advice = adviceFor(() => grantee);
  const settings: PoolSettings = {
    url,
    size: poolSize,
    statementTimeout: statementTimeoutMs,
    connectTimeout: connectTimeoutMs,
    advice,
  };
  const store = openStore(settings);
  try {
    await checkEncoding(store);
    if (store.hasPooler()) await refuseSharedSessions(url, connectTimeoutMs);
  } catch (error) {
    await store.close();
    const cause = error instanceof Refusal ? error.cause : error;
    throw new UnusableDatabase(`Cannot open the database ${name}: ${reasonOf(cause, advice)}`, { cause });
  }
  const findSchema = async (queries: Queries): Promise<WorkingSchema> => {
    const place = await requireSchema(queries);
    grantee = place;
    return place;
  };
  const state = async (): Promise<MigrationState> => {
    const { schema } = await findSchema(store.reads);
    return migrationState(store.reads, POSTGRES_MIGRATIONS, schema);
  };
  return {
    ...repositories(store),
    space: null,
    maxScans: store.maxScans,
    maxWrites: store.maxWrites,
    shareScans: (takeSlot) => store.shareScans(takeSlot),
    migrate: (mayShare) =>
      migrateAlone(settings, findSchema, mayShare).catch((error: unknown) => {
        if (sqlStateOf(error) === null && !(error instanceof Refusal)) throw error;
        const message = `Cannot bring the database ${name} up to date: ${reasonOf(error, advice)}`;
        throw new UnusableDatabase(message, { cause: error });
      }),
    migrations: state,
    check: () =>
      asRefusal(async () => {
        const { schema } = await findSchema(store.reads);
        const pending = await pendingMigrations(store.reads, POSTGRES_MIGRATIONS, schema);
        if (pending.length > 0) throw new UnusableDatabase(`The database lacks the migration ${pending.join(', ')}.`);
      }),
    // A read-only server refuses a read-write transaction as soon as the transaction starts.
    checkWrites: () =>
      asRefusal(() => store.write(async (transaction) => requireRights(transaction, await findSchema(transaction)))),
    async now() {
      const query = sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
      return (await query.execute(store.reads)).rows[0]?.now ?? Number.NaN;
    },
    rows: rowAccess(store, nameOf(url)),
    backups: null,
    pool: () => store.figures(),
    vacuum: null,
    keepSearchIndex: searchIndexKeeper(settings),
    close: () => store.close(),
  };
}

async function checkEncoding({ reads }: PostgresStore): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(
    reads,
  );
  const [{ encoding } = { encoding: '' }] = rows;
  if (encoding !== 'UTF8')
    throw new Error(
      `its encoding is ${encoding}, which cannot hold every name; create a database with the encoding UTF8`,
    );
}

/** Migrates without time limits, because a migration may take long, or wait for a migration by another process. */
async function migrateAlone(
  settings: PoolSettings,
  findSchema: (queries: Queries) => Promise<WorkingSchema>,
  mayShare = false,
): Promise<readonly string[]> {
  const store = openStore({ ...settings, size: 1, statementTimeout: 0 });
  try {
    return await store.write(async (transaction) => {
      for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
        await sql`select set_config(${limit}, '0', true)`.execute(transaction);
      }
      await lockSchema(transaction);
      const place = await findSchema(transaction);
      // The right is checked first: if a statement failed for lack of it, the errors of later statements would hide the
      // reason.
      const pending = await pendingMigrations<Tables>(transaction, POSTGRES_MIGRATIONS, place.schema);
      if (pending.length > 0) requireCreateRight(place);
      const ran = await migrate(transaction, POSTGRES_MIGRATIONS, place.schema, mayShare);
      await requireRights(transaction, place);
      return ran;
    });
  } finally {
    await store.close();
  }
}

/** Reports a problem of a database in use as `unavailable`, because it may be solved while the service runs. */
async function asRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new Refusal({ code: 'unavailable', message: error.message }, { cause: error });
  }
}

/**
 * Replaces the TLS modes that the driver takes for `verify-full` by that one, because the driver prints a warning for
 * each of them, about its own next version. An address that asks for libpq's meaning of the modes (`uselibpqcompat`)
 * stays as it is.
 */
const withVerification = (address: string): string =>
  address.includes('uselibpqcompat=')
    ? address
    : address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');

/**
 * Returns the address without password and options, for messages.
 *
 * @throws UnusableDatabase for an address that the driver can't parse
 */
function nameOf(url: string): string {
  try {
    const { user, host, port, database } = new Client(url);
    return `postgres://${user}@${host}:${port}/${database}`;
  } catch (cause) {
    throw new UnusableDatabase(`The address of the database cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** Milliseconds to wait for running write transactions. */
const LOCK_TIMEOUT = 10_000;

const WAITED = new Set(['55P03', '57014']);

/**
 * Access to the plain rows of a PostgreSQL database. `withoutWrites` locks the tables in share mode for one
 * transaction.
 */
const rowAccess = ({ reads, write, dialect }: PostgresStore, place: string): RowAccess => ({
  place,
  reads,
  write: (work) => write(withoutEvents(dialect.outbox, work)),
  withoutWrites: (work) =>
    write(async (transaction) => {
      await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT}`}, true)`.execute(transaction);
      // The transaction that holds the locks is idle while the rows are copied, so its idle time isn't limited.
      await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(transaction);
      const tables = sql.join(COPIED_TABLES.map(({ name }) => sql.table(name)));
      await sql`lock table ${tables} in share mode`.execute(transaction);
      return work(transaction);
    }),
  isBusy: (error) => WAITED.has(sqlStateOf(error) ?? ''),
});
