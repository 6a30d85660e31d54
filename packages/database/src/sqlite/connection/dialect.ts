import { Turns, type Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { SQLITE_OUTBOX } from '../../events/sqlite/outbox.ts';
import { SQLITE_SEARCH_INDEX } from '../../search/sqlite/search-index.ts';
import type { Dialect } from '../../store/dialect.ts';
import type { MediaRow } from '../../store/tables.ts';
import { translateErrors } from './errors.ts';
import { StatementCache } from './statements.ts';

export const SQLITE: Dialect = {
  lock: async () => undefined,
  noId: '' as Uuid,
  typedId: (id) => sql`${id}`,
  firstBytes: (text, count) => sql<Buffer | null>`substr(cast(${text} as blob), 1, ${count})`,
  mediaBy: (queries, index) =>
    queries.selectFrom(sql<MediaRow>`media`.as<'media'>(sql`media indexed by ${sql.raw(index)}`)),
  learnedPosts: sql`posts indexed by posts_learned`,
  isAmong: (id, ids) => sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`,
  position: 'instr',
  searchIndex: SQLITE_SEARCH_INDEX,
  outbox: SQLITE_OUTBOX,
  isInProcess: true,
};

/**
 * How a transaction starts. A transaction that writes must be `immediate`: otherwise, what it read before its first
 * write may be outdated by then.
 */
export type Begin = 'begin deferred' | 'begin immediate';

/**
 * Kysely's dialect, except that statements remain prepared, `begin` can be chosen, row locks are omitted and errors are
 * translated.
 */
export class PreparedSqliteDialect extends SqliteDialect {
  readonly #database: Database;
  readonly #statements: StatementCache;
  readonly #begin: Begin;

  constructor(database: Database, begin: Begin) {
    super({ database });
    this.#database = database;
    this.#statements = new StatementCache(database);
    this.#begin = begin;
  }

  override createDriver(): SqliteDriver {
    return new PreparedSqliteDriver(this.#database, this.#statements, this.#begin);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new LocklessSqliteQueryCompiler();
  }
}

class PreparedSqliteDriver extends SqliteDriver {
  readonly #database: Database;
  readonly #begin: Begin;
  #connection: DatabaseConnection | null = null;

  constructor(database: Database, statements: StatementCache, begin: Begin) {
    super({ database: statements });
    this.#database = database;
    this.#begin = begin;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    // The base class gives its one connection to one caller at a time.
    this.#connection ??= inTurns(connection);
    return this.#connection;
  }

  override async beginTransaction(): Promise<void> {
    translateErrors(() => this.#database.exec(this.#begin));
  }

  /** Does nothing after SQLite itself has rolled back: another rollback would throw and hide the reason. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) translateErrors(() => this.#database.exec('rollback'));
  }
}

/** Pauses between queries, because SQLite runs synchronously and blocks this thread's event loop. */
const turns = new Turns(
  () => performance.now(),
  (callback) => setImmediate(callback),
);

/** Gives other requests a turn between queries, so that a long batch doesn't block them. */
const inTurns = (connection: DatabaseConnection): DatabaseConnection => ({
  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = connection.executeQuery<Row>(query);
    const next = turns.next();
    return next ? result.then((rows) => next.then(() => rows)) : result;
  },
  streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
});

/** Enables DDL in transactions, which migrations rely on. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const ROW_LOCKS: ReadonlySet<string | undefined> = new Set([
  'ForUpdate',
  'ForNoKeyUpdate',
  'ForShare',
  'ForKeyShare',
  'SkipLocked',
]);

/** Omits row locks, because `begin immediate` has already locked every row. */
class LocklessSqliteQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}
