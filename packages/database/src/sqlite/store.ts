import type { Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import { Kysely, sql, type Transaction } from 'kysely';
import type { Dialect, Store } from '../repositories/store.ts';
import type { Tables } from '../repositories/tables.ts';
import { connect } from './connect.ts';
import { PreparedSqliteDialect } from './dialect.ts';
import { GroupCommit } from './group-commit.ts';
import { SmallReads } from './small-reads.ts';
import { type Standing, standing } from './standing.ts';
import { WalIndex } from './wal-index.ts';
import { whenFree } from './when-free.ts';

export const SQLITE: Dialect = { lock: async () => undefined, noId: '' as Uuid, typedId: (id) => sql`${id}` };

export interface SqliteStore extends Store {
  /** Whether what is written here is found again; every transaction looks by itself. */
  readonly files: Standing;
  /** As of {@link SmallReads}. */
  renew(): void;
  close(): Promise<void>;
}

export async function openStore(path: string, busyTimeoutMs: number): Promise<SqliteStore> {
  const { writer, reader, smallReader } = await connectAll(path, busyTimeoutMs);
  const index = new WalIndex(path);
  const smallReads = new SmallReads(smallReader, index);
  const renew = (): void => smallReads.renew();
  const writes = queriesOn(new PreparedSqliteDialect(writer, 'begin immediate', renew));
  const reads = queriesOn(new PreparedSqliteDialect(reader, 'begin deferred', renew));
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
    // Kysely queues every query for the connection, which costs as much as a small one itself.
    readAtOnce: (sql) => smallReads.prepare(sql),
    version: () => smallReads.version(),
    renew,
    snapshot: (work) => reads.transaction().execute(work),
    transact: (work) => commits.run(work),
    dialect: SQLITE,
    files,
    async close() {
      await commits.settled();
      await Promise.all([reads.destroy(), writes.destroy()]);
      for (const database of [smallReader, reader, writer]) closeIfOpen(database);
      index.close();
    },
  };
}

/**
 * Reads never queue behind a transaction that waits for another process's, nor small ones behind a snapshot, which may
 * have begun before what they have to see.
 */
async function connectAll(path: string, busyTimeoutMs: number) {
  const opened: Database[] = [];
  const kept = (database: Database): Database => {
    opened.push(database);
    return database;
  };
  try {
    const writer = kept(await connect(path, busyTimeoutMs));
    const reader = kept(await connectReader(path, busyTimeoutMs));
    return { writer, reader, smallReader: await connectReader(path, busyTimeoutMs) };
  } catch (error) {
    for (const database of opened) database.close();
    throw error;
  }
}

/** Has SQLite's own busy handler, for the instants in which a log is recovered or removed. */
async function connectReader(path: string, busyTimeoutMs: number): Promise<Database> {
  const reader = await connect(path, busyTimeoutMs);
  reader.pragma('query_only = on');
  reader.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return reader;
}

const queriesOn = (dialect: PreparedSqliteDialect): Kysely<Tables> => new Kysely<Tables>({ dialect });

/** Kysely closes only a database that it has used. */
const closeIfOpen = (database: Database): void => {
  if (database.open) database.close();
};
