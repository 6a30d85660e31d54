import { closeSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { Sqlite } from './native.ts';
import { retryWhileLocked } from './wait-for-lock.ts';

/** The write-ahead log is cut back to this size after it had to grow. Bytes. */
const MAX_IDLE_LOG = 64 * 1024 * 1024;

/**
 * Pages of the write-ahead log from which a commit checkpoints it, during which the process stands still: 64 MB. A
 * reader thread does so long before (`store.ts`).
 */
const MAX_LOG_PAGES = 16_000;

/**
 * KiB of pages that the writer holds, where its default is 16 MB: more than the pages that a batch of posts changes, which would
 * have to be written twice otherwise. All others are in the system's cache anyway.
 */
const WRITER_CACHE = 4_000;

/**
 * Opens a connection, and makes the file when it is missing, for its owner alone; SQLite gives the files beside it
 * the same mode. Readers and a writer don't wait for each other (WAL), and what was committed survives a power cut:
 * `synchronous = full` says so, where SQLite's default with a write-ahead log is less.
 *
 * @param timeoutMs how long to wait where another process is just making the file
 * @throws when the file can't be opened or is no SQLite database
 */
export async function connect(path: string, timeoutMs: number): Promise<Database> {
  makeUnlessThere(path);
  const database = new Sqlite(path, { timeout: 0 });
  try {
    await retryWhileLocked(() => prepare(database), timeoutMs);
    database.pragma('synchronous = full');
    database.pragma('foreign_keys = on');
    database.pragma(`journal_size_limit = ${MAX_IDLE_LOG}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a connection that writes. Its commits are durable only once the log was synced (`log-sync.ts`). */
export async function connectWriter(path: string, timeoutMs: number): Promise<Database> {
  const writer = await connect(path, timeoutMs);
  // It syncs the log only for a checkpoint.
  writer.pragma('synchronous = normal');
  writer.pragma(`cache_size = -${WRITER_CACHE}`);
  writer.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`);
  undoInMemory(writer, true);
  return writer;
}

/**
 * Decides where SQLite keeps the copies of pages by which it undoes a statement that fails halfway (the statement
 * journal). By default it writes them to a temporary file once they exceed 64 KB, which inserting a media item does: that
 * took 25 system calls per item.
 *
 * @param inMemory for transactions of a few milliseconds; not for a migration, which may change every page in one statement
 */
export function undoInMemory(writer: Database, inMemory: boolean): void {
  writer.pragma(`temp_store = ${inMemory ? 'memory' : 'file'}`);
}

/** Opens a connection that writes nothing. */
export async function connectReader(path: string, busyTimeoutMs: number): Promise<Database> {
  const reader = await connect(path, busyTimeoutMs);
  reader.pragma('query_only = on');
  // SQLite's own busy handler, for the moments in which a log is recovered or removed.
  reader.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return reader;
}

/**
 * Makes the file if it doesn't exist. Never opens an existing one: closing it would drop all locks of the process on
 * it, those of its other connections, too (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function makeUnlessThere(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function prepare(database: Database): void {
  // Works only in a new database, before anything else. In one that has pages it would change nothing, but ask for the
  // write lock, which somebody may hold for long.
  if (database.pragma('page_count', { simple: true }) === 0) database.pragma('auto_vacuum = incremental');
  useWriteAheadLog(database);
}

function useWriteAheadLog(database: Database): void {
  const mode = database.pragma('journal_mode = wal', { simple: true });
  if (mode !== 'wal') throw new Error(`SQLite cannot keep a write-ahead log there (its journal mode is ${mode})`);
}
