import type { Database as SqliteDatabase } from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { givenUp } from '../store/scan.ts';
import { pullWithin, type ScanStore } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { connectReader, connectWriter } from './connect.ts';
import { PreparedSqliteDialect, SQLITE } from './dialect.ts';
import { isBusy, translateErrors } from './errors.ts';
import { type FillStep, fillSearchIndex } from './fill-search-index.ts';
import type { Checkpoint } from './readers.ts';

/**
 * Rows between two checks whether the query is still wanted: each is a call from SQLite into JavaScript. A power of
 * two.
 */
const ROWS_BETWEEN_LOOKS = 1024;

/** A connection that scans read by, in a thread of its own. */
export interface ReaderStore extends ScanStore {
  /** Checkpoints the log; waits for the disk, but for no other connection. */
  checkpoint(how: Checkpoint): void;
  /** See `Readers`. */
  fillSearchIndex(): Promise<FillStep>;
  close(): Promise<void>;
}

/**
 * @param isWanted whether anybody still waits for the scan that runs; called from within queries, as they block the
 *   thread, and no message would arrive
 */
export async function openReaderStore(
  path: string,
  busyTimeoutMs: number,
  isWanted: () => boolean,
): Promise<ReaderStore> {
  const database = await connectReader(path, busyTimeoutMs);
  const requireWanted = (): void => {
    if (!isWanted()) throw givenUp();
  };
  // SQLite rethrows what the function throws.
  database.function('wanted', { deterministic: false }, () => {
    requireWanted();
    return 1;
  });
  let writer: SqliteDatabase | null = null;
  const reads = new Kysely<Tables>({ dialect: new PreparedSqliteDialect(database, 'begin deferred') });
  return {
    reads,
    snapshot: (work) => reads.transaction().execute(work),
    pull: (read) => pullWithin(() => reads.startTransaction().execute(), read),
    dialect: { ...SQLITE, whileWanted: sql`(rowid & ${sql.lit(ROWS_BETWEEN_LOOKS - 1)} or wanted())` },
    requireWanted,
    checkpoint(how) {
      // Otherwise it would wait for readers while holding the write lock.
      database.pragma('busy_timeout = 0');
      try {
        database.pragma(`wal_checkpoint(${how})`);
      } finally {
        database.pragma(`busy_timeout = ${busyTimeoutMs}`);
      }
    },
    async fillSearchIndex() {
      writer ??= await connectFiller(path, busyTimeoutMs);
      const filler = writer;
      try {
        return translateErrors(() => fillSearchIndex(filler));
      } catch (error) {
        if (isBusy(error)) return { entries: 0, isDone: false };
        throw error;
      }
    },
    async close() {
      await reads.destroy();
      writer?.close();
      if (database.open) database.close();
    },
  };
}

/** Pages of the log from which the thread checkpoints it, so that the main thread needn't. */
const LOG_PAGES = 1000;

/** Milliseconds that a step waits for another transaction. */
const MAX_WAIT = 1000;

async function connectFiller(path: string, busyTimeoutMs: number): Promise<SqliteDatabase> {
  const writer = await connectWriter(path, busyTimeoutMs);
  writer.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  writer.pragma(`busy_timeout = ${Math.min(MAX_WAIT, busyTimeoutMs)}`);
  return writer;
}
