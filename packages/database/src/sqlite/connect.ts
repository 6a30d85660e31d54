import { closeSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { Sqlite } from './native.ts';
import { retryWhileLocked } from './wait-for-lock.ts';

/** The write-ahead log is cut back to this size after it had to grow. Bytes. */
const MAX_IDLE_LOG = 64 * 1024 * 1024;

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
    await retryWhileLocked(() => {
      giveBackLater(database);
      useWriteAheadLog(database);
    }, timeoutMs);
    database.pragma('synchronous = full');
    database.pragma('foreign_keys = on');
    database.pragma(`journal_size_limit = ${MAX_IDLE_LOG}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Never opens a file that is there: to close it again would take from the process all locks that it has on it, those of
 * its other connections too (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function makeUnlessThere(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Lets a database that is just being made give free pages back to the disk. Never asked of one that has pages: it would
 * change nothing, and wait for the write lock.
 */
function giveBackLater(database: Database): void {
  if (database.pragma('page_count', { simple: true }) === 0) database.pragma('auto_vacuum = incremental');
}

function useWriteAheadLog(database: Database): void {
  const mode = database.pragma('journal_mode = wal', { simple: true });
  if (mode !== 'wal') throw new Error(`SQLite cannot keep a write-ahead log there (its journal mode is ${mode})`);
}
