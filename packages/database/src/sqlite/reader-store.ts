import type { Database as SqliteDatabase } from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { givenUp, type ScanStore } from '../store/scan.ts';
import { pullWithin } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { connectReader, connectWriter } from './connect.ts';
import { PreparedSqliteDialect, SQLITE } from './dialect.ts';
import { isBusy, translateErrors } from './errors.ts';
import { type FillStep, fillSearchIndex } from './fill-search-index.ts';
import type { Checkpoint } from './readers.ts';

/** Of so many rows one asks whether the query goes on: it costs a call from SQLite into JavaScript. A power of two. */
const ROWS_BETWEEN_LOOKS = 1024;

/** A connection that scans read by, in a thread of its own. */
export interface ReaderStore extends ScanStore {
  /** Takes the log into the database, and waits for the disk but for nobody else. */
  checkpoint(how: Checkpoint): void;
  /** As of `Readers`. */
  fillSearchIndex(): Promise<FillStep>;
  close(): Promise<void>;
}

/**
 * @param isWanted whether anybody still waits for the scan that runs: asked from within queries, which hold the thread up, so
 * no message could say it
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
  // SQLite hands on what it throws.
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
      // It would wait for readers with the write lock in its hands.
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

/** Pages in the log from which the thread takes them into the database, which the main thread then needn't. */
const LOG_PAGES = 1000;

/** Milliseconds that a step waits for somebody else's transaction. */
const MAX_WAIT = 1000;

async function connectFiller(path: string, busyTimeoutMs: number): Promise<SqliteDatabase> {
  const writer = await connectWriter(path, busyTimeoutMs);
  writer.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  writer.pragma(`busy_timeout = ${Math.min(MAX_WAIT, busyTimeoutMs)}`);
  return writer;
}
