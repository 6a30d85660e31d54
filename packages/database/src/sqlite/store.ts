import type { Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import { type CompiledQuery, Kysely, sql, type Transaction } from 'kysely';
import type { Dialect, Store } from '../repositories/store.ts';
import type { Tables } from '../repositories/tables.ts';
import { connect } from './connect.ts';
import { PreparedSqliteDialect } from './dialect.ts';
import { GroupCommit } from './group-commit.ts';
import { type Standing, standing } from './standing.ts';
import { StatementCache } from './statement-cache.ts';
import { whenFree } from './when-free.ts';

export const SQLITE: Dialect = { lock: async () => undefined, noId: '' as Uuid, typedId: (id) => sql`${id}` };

export interface SqliteStore extends Store {
  /** Whether what is written here is found again; every transaction looks by itself. */
  readonly files: Standing;
  close(): Promise<void>;
}

/**
 * Two connections: reads never queue behind a transaction that waits for another process's. Only the reader has
 * SQLite's own busy handler, which it needs for the instants in which a log is recovered or removed.
 */
export async function openStore(path: string, busyTimeoutMs: number): Promise<SqliteStore> {
  const writer = await connect(path, busyTimeoutMs);
  const reader = await connect(path, busyTimeoutMs).catch((error: unknown) => {
    writer.close();
    throw error;
  });
  reader.pragma('query_only = on');
  reader.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const writes = queriesOn(new PreparedSqliteDialect(writer, 'begin immediate'));
  const reads = queriesOn(new PreparedSqliteDialect(reader, 'begin deferred'));
  const prepared = new StatementCache(reader);
  const files = standing(path);
  const write = async <T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> => {
    files.require();
    const result = await writes.transaction().execute(work);
    files.require();
    return result;
  };
  const commits = new GroupCommit(writer, busyTimeoutMs, (work, patience) => whenFree(() => write(work), patience));
  return {
    reads,
    // Kysely queues every query for the connection, which costs as much as a small one itself. A snapshot under way may
    // have begun before what the query has to see: behind that it has to queue.
    readAtOnce: <Row>({ sql, parameters }: CompiledQuery<Row>) =>
      reader.inTransaction ? null : (prepared.prepare(sql).all(parameters) as Row[]),
    snapshot: (work) => reads.transaction().execute(work),
    transact: (work) => commits.run(work),
    dialect: SQLITE,
    files,
    async close() {
      await commits.settled();
      await Promise.all([reads.destroy(), writes.destroy()]);
      for (const database of [reader, writer]) closeIfOpen(database);
    },
  };
}

const queriesOn = (dialect: PreparedSqliteDialect): Kysely<Tables> => new Kysely<Tables>({ dialect });

/** Kysely closes only a database that it has used. */
const closeIfOpen = (database: Database): void => {
  if (database.open) database.close();
};
