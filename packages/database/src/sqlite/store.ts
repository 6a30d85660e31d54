import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { Kysely, type Transaction } from 'kysely';
import { mayHaveLargeLists } from '../search/sqlite/fill-search-index.ts';
import type { Database as Opened, SearchIndexReport } from '../store/database.ts';
import type { Queries } from '../store/dialect.ts';
import { Readers } from '../store/readers.ts';
import { type ScanQueue, ScanSlots } from '../store/scan.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { Durability } from './commits/durability.ts';
import { GroupCommit } from './commits/group-commit.ts';
import { LogSync } from './commits/log-sync.ts';
import { connectReader, connectWriter, createIfMissing, undoInMemory } from './connection/connect.ts';
import { PreparedSqliteDialect, SQLITE } from './connection/dialect.ts';
import { translateErrors } from './connection/errors.ts';
import { prepareLookup } from './connection/statements.ts';
import { retryWhileLocked } from './connection/wait-for-lock.ts';
import { type FileIdentity, fileIdentity } from './file-identity.ts';
import { incrementalVacuum } from './vacuum.ts';
import { requireWritable } from './writable.ts';

export interface SqliteStore extends Store, ScanQueue {
  /** Checks that the database's files haven't been replaced. Every transaction does this as well. */
  readonly files: FileIdentity;
  readonly readers: Readers;
  /** Queries outside a transaction; each sees everything that was committed before it. */
  readonly reads: Queries;
  /** Runs a write transaction that may change every page, such as a migration. */
  writeAll<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  checkWrites(): Promise<void>;
  vacuum(signal: AbortSignal): Promise<number>;
  keepSearchIndex(signal: AbortSignal): Promise<SearchIndexReport>;
  close(): Promise<void>;
}

/** Number of commits between two checkpoints; these commits add some megabytes to the log. */
const COMMITS_BETWEEN_CHECKPOINTS = 250;

/** @param space null if it isn't limited */
export async function openStore(
  path: string,
  busyTimeoutMs: number,
  space: Opened['space'] = null,
  groupTime?: number,
): Promise<SqliteStore> {
  const { writer, reader, lookups, files, disconnect } = await connectAll(path, busyTimeoutMs);
  const writes = queriesOn(new PreparedSqliteDialect(writer, 'begin immediate'));
  const reads = queriesOn(new PreparedSqliteDialect(reader, 'begin deferred'));
  const log = new LogSync(path);
  const durability = new Durability(log, lookups);
  let commitsSince = 0;
  const write = async <T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> => {
    files.require();
    log.require();
    const result = await writes.transaction().execute(work);
    durability.clearVersion();
    files.require();
    commitsSince += 1;
    if (commitsSince === COMMITS_BETWEEN_CHECKPOINTS) {
      commitsSince = 0;
      void readers.checkpoint('passive');
    }
    return result;
  };
  const commits = new GroupCommit(
    writer,
    log,
    busyTimeoutMs,
    (work, lockTimeout) => retryWhileLocked(() => write(work), lockTimeout),
    groupTime,
  );
  const readers = new Readers(path, busyTimeoutMs);
  let kept: unknown = null;
  const slots = new ScanSlots();
  const isLow = async (): Promise<boolean> => space !== null && !(await space.has(0));
  const thenClearVersion = async <T>(reading: Promise<T>): Promise<T> => {
    const result = await reading;
    durability.clearVersion();
    return result;
  };
  const runWrite: Store['write'] = (work) => commits.run(work);
  return {
    reads,
    lookup: (query) => prepareLookup(lookups, query(reads).compile().sql, durability),
    read: (work) => thenClearVersion(reads.transaction().execute(work)),
    scan: (scan, caller, ...parameters) =>
      thenClearVersion(slots.run(caller, () => readers.run(scan, parameters, caller.signal))),
    maxScans: readers.size,
    shareScans: (takeSlot) => slots.share(takeSlot),
    write: runWrite,
    settled: (changedAt) => durability.settled(changedAt),
    dialect: SQLITE,
    files,
    readers,
    async writeAll(work) {
      undoInMemory(writer, false);
      try {
        return await runWrite(work);
      } finally {
        undoInMemory(writer, true);
      }
    },
    checkWrites: () => requireWritable(writer, path),
    vacuum(signal) {
      return incrementalVacuum(
        writer,
        (work) => commits.run(work),
        isLow,
        () => readers.checkpoint('truncate'),
        signal,
      );
    },
    async keepSearchIndex(signal) {
      let entries = 0;
      const version = durability.version();
      if (version === kept || !translateErrors(() => mayHaveLargeLists(reader))) return { entries, obstacle: null };
      while (!signal.aborted && !(await isLow())) {
        files.require();
        log.require();
        const start = performance.now();
        const step = await readers.fillSearchIndex();
        entries += step.entries;
        if (step.isDone) {
          kept = version;
          break;
        }
        if (step.entries === 0) break;
        // The pause lets other work get the processor and the write lock.
        await delay(performance.now() - start);
      }
      return { entries, obstacle: null };
    },
    async close() {
      // Commits are awaited first, because they ask the readers for checkpoints.
      await commits.settled();
      await readers.close();
      await Promise.all([reads.destroy(), writes.destroy()]);
      disconnect();
      await log.close();
    },
  };
}

/**
 * Opens separate connections, so that reads neither queue behind a transaction that waits for another process, nor run
 * within an older snapshot.
 */
async function connectAll(path: string, busyTimeoutMs: number) {
  createIfMissing(path);
  const connections: Database[] = [];
  const disconnect = (): void => {
    for (const connection of connections.toReversed()) if (connection.open) connection.close();
  };
  const open = async (connecting: Promise<Database>): Promise<Database> => {
    const connection = await connecting;
    connections.push(connection);
    return connection;
  };
  try {
    const writer = await open(connectWriter(path, busyTimeoutMs));
    const reader = await open(connectReader(path, busyTimeoutMs));
    const lookups = await open(connectReader(path, busyTimeoutMs));
    return { writer, reader, lookups, files: fileIdentity(path), disconnect };
  } catch (error) {
    disconnect();
    throw error;
  }
}

const queriesOn = (dialect: PreparedSqliteDialect): Kysely<Tables> => new Kysely<Tables>({ dialect });
