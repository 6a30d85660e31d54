import { closeSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { Sqlite } from './native.ts';
import { retryWhileLocked } from './wait-for-lock.ts';

/** Size in bytes to which the log is truncated after a checkpoint, if it had to grow beyond that. */
const MAX_IDLE_LOG = 64 * 1024 * 1024;

/**
 * Number of pages in the log (64 MB) at which a commit also checkpoints the log. Usually, a reader thread has
 * checkpointed it before.
 */
const MAX_LOG_PAGES = 16_000;

/**
 * Page cache of the writer in KiB, for the pages that a batch of posts changes; other pages are in the system's cache.
 */
const WRITER_CACHE = 4_000;

/**
 * Opens a connection. A missing file is created with mode 0600, which SQLite also gives to its companions. `synchronous
 * = full` makes commits survive a power cut.
 *
 * @param timeoutMs how long to wait for a process that is creating the file
 * @throws when the file can't be opened or isn't an SQLite database
 */
export async function connect(path: string, timeoutMs: number): Promise<Database> {
  createIfMissing(path);
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

/** Opens a connection whose commits are durable only once the log has been synced (`log-sync.ts`). */
export async function connectWriter(path: string, timeoutMs: number): Promise<Database> {
  const writer = await connect(path, timeoutMs);
  // With this setting, SQLite syncs the log only before a checkpoint.
  writer.pragma('synchronous = normal');
  writer.pragma(`cache_size = -${WRITER_CACHE}`);
  writer.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`);
  undoInMemory(writer, true);
  return writer;
}

/**
 * Sets where SQLite keeps the original content of changed pages, which it needs to undo a statement. By default, it
 * uses a temporary file for more than 64 KB, which takes 25 system calls for each new item.
 *
 * @param inMemory false for a migration, which may change every page
 */
export function undoInMemory(writer: Database, inMemory: boolean): void {
  writer.pragma(`temp_store = ${inMemory ? 'memory' : 'file'}`);
}

export async function connectReader(path: string, busyTimeoutMs: number): Promise<Database> {
  const reader = await connect(path, busyTimeoutMs);
  reader.pragma('query_only = on');
  // A reader meets a lock only briefly, while the log is recovered or removed.
  reader.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return reader;
}

/**
 * Creates the file if it doesn't exist. Never opens an existing file, because closing it would release all of the
 * process's locks on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function prepare(database: Database): void {
  // This takes effect only in an empty database; in any other database it would take the write lock for nothing.
  if (database.pragma('page_count', { simple: true }) === 0) database.pragma('auto_vacuum = incremental');
  useWriteAheadLog(database);
}

function useWriteAheadLog(database: Database): void {
  const mode = database.pragma('journal_mode = wal', { simple: true });
  if (mode !== 'wal') throw new Error(`SQLite cannot keep a write-ahead log there (its journal mode is ${mode})`);
}
