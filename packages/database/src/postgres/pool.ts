import { createHash } from 'node:crypto';
import { Refusal } from '@postshelf/domain';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { type ClientBase, type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import type { PoolFigures } from '../store/database.ts';
import { unavailable } from '../store/errors.ts';
import { type Advice, failureOf, sqlStateOf } from './errors.ts';

export interface PoolSettings {
  readonly url: string;
  readonly size: number;
  readonly statementTimeout: number;
  readonly connectTimeout: number;
  readonly advice?: Advice;
}

/** Milliseconds beyond the statement's limit after which a silent server counts as lost. */
const SILENCE = 5_000;

/** The type `bigint`, which the driver returns as text. */
const INT8 = 20;

/** Converts a text to a number; all numbers in the database are far below 2^53. */
function readInt8(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The database returned ${text}, which can't be represented exactly`);
  return number;
}

const TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? readInt8 : types.getTypeParser(oid, format)),
};

export interface Connections extends PostgresPool {
  figures(): PoolFigures;
  /** Whether any connection so far went through a pooler such as PgBouncer. */
  hasPooler(): boolean;
}

/** Creates a pool that prepares statements, translates errors and replaces broken connections. */
export function createPool({ url, size, statementTimeout, connectTimeout, advice }: PoolSettings): Connections {
  let hasPooler: boolean | null = null;
  const pool = new Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    application_name: 'postshelf',
    onConnect: async (client) => {
      await beginSession(client, statementTimeout);
      hasPooler ??= await isIndirect(client);
    },
    query_timeout: statementTimeout > 0 ? statementTimeout + SILENCE : 0,
    types: TYPES,
  });
  // Without a listener, a connection that breaks between two queries would end the process. The pool has already
  // removed it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const names = new StatementNames();
  const connect = connector(pool, size, connectTimeout);
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => prepared(await translated(pool, connect, advice), names, advice),
    hasPooler: () => hasPooler === true,
    figures: () => ({ max: pool.options.max, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/**
 * Sets a connection's timeouts, isolation and write access, whatever the database's defaults are. Turns JIT off, which
 * added 90 ms to a list that takes 6 ms. Uses no startup parameters, because PgBouncer refuses those that it doesn't
 * know.
 */
async function beginSession(client: ClientBase, statementTimeout: number): Promise<void> {
  // 0 means no limit.
  await client.query(
    `set default_transaction_isolation = 'read committed'; set default_transaction_read_only = off;
    set statement_timeout = ${statementTimeout};
    set idle_in_transaction_session_timeout = ${statementTimeout};
    set jit = off`,
  );
}

/**
 * Whether the server process that answers isn't the one that was reported when connecting. If so, a pooler is in
 * between.
 */
async function isIndirect(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== processOf(client);
}

/** The process id that the server reported when connecting (protocol-flow, "BackendKeyData"). */
const processOf = (client: ClientBase): unknown => ('processID' in client ? client.processID : undefined);

/** The code with which the server refuses a connection beyond its limit, or that of the role or the database. */
const TOO_MANY_CONNECTIONS = '53300';

/** Milliseconds after which a pool that the server has limited tries again to open more connections. */
const LIMITED_FOR = 30_000;

/**
 * Returns a function that takes a connection from the pool. If the server allows fewer connections than the pool's
 * size, the pool makes do with those that it has, and callers wait for one of them as they wait for a full pool.
 *
 * @param patience milliseconds after which a refused connection isn't tried again
 */
function connector(pool: Pool, size: number, patience: number): () => Promise<PoolClient> {
  let limitedUntil = 0;
  return async () => {
    const start = performance.now();
    if (start >= limitedUntil) pool.options.max = size;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        const isWorthWaiting = pool.totalCount > 0 && performance.now() - start < patience;
        if (sqlStateOf(error) !== TOO_MANY_CONNECTIONS || !isWorthWaiting) throw error;
        pool.options.max = pool.totalCount;
        limitedUntil = performance.now() + LIMITED_FOR;
      }
    }
  };
}

async function translated(
  pool: Pool,
  connect: () => Promise<PoolClient>,
  advice: Advice | undefined,
): Promise<PoolClient> {
  if (pool.ending) throw new Error('The database is closed');
  try {
    return await connect();
  } catch (error) {
    const failure = failureOf(error, advice);
    throw failure.error instanceof Refusal ? failure.error : unavailable(error);
  }
}

function prepared(client: PoolClient, names: StatementNames, advice: Advice | undefined): PostgresPoolClient {
  let isFatal = false;
  const fail = (error: unknown): never => {
    const failure = failureOf(error, advice);
    isFatal ||= failure.isFatal;
    throw failure.error;
  };
  const query = (text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => {
    const name = names.of(text, values.length);
    const sent = client.query({ text, values: [...values], ...(name !== null && { name }) });
    return sent.catch(fail) as Promise<PostgresQueryResult<unknown>>;
  };
  return {
    // The overload for cursors isn't used.
    query: query as PostgresPoolClient['query'],
    release: (destroy = false) => client.release(destroy || isFatal),
  };
}

/** Maximum number of statements that a connection keeps prepared; further statements are planned each time. */
const MAX_STATEMENTS = 256;

/**
 * Maximum number of parameters of a prepared statement. A statement with more parameters contains a list of values, so
 * its text depends on the length of the list and is seldom used again.
 */
const MAX_PARAMETERS = 32;

/**
 * Names under which statements are prepared once per connection, because planning costs more than a small read.
 * PostgreSQL keeps prepared statements until the connection ends, so only the first {@link MAX_STATEMENTS} get a name.
 *
 * A name is a hash of the text, the same in every process: if a pooler exchanges connections, the server never runs a
 * different statement under the name.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number = MAX_STATEMENTS) {
    this.#limit = limit;
  }

  /** Returns the name of a statement; null if it isn't kept prepared. */
  of(text: string, parameters: number): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (parameters === 0 || parameters > MAX_PARAMETERS || this.#names.size >= this.#limit) return null;
    // A name may have at most 63 bytes.
    const name = `postshelf_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}
