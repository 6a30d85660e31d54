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

/** Of so many rows one asks whether the query goes on: it costs a call from SQLite into JavaScript. A power of two. */
const ROWS_BETWEEN_LOOKS = 1024;

/** A connection that scans read by, in a thread of its own. */
export interface ReaderStore extends ScanStore {
  /** Takes the log into the database, and waits for the disk but for nobody else. */
  checkpoint(how: Checkpoint): Promise<void>;
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
  let steps = 0;
  const reads = new Kysely<Tables>({ dialect: new PreparedSqliteDialect(database, 'begin deferred') });
  return {
    reads,
    snapshot: (work) => reads.transaction().execute(work),
    pull: (read) => pullWithin(() => reads.startTransaction().execute(), read),
    dialect: { ...SQLITE, whileWanted: sql`(rowid & ${sql.lit(ROWS_BETWEEN_LOOKS - 1)} or wanted())` },
    requireWanted,
    async checkpoint(how) {
      writer ??= await connectFiller(path, busyTimeoutMs);
      takeLogIn(writer, how);
    },
    async fillSearchIndex() {
      writer ??= await connectFiller(path, busyTimeoutMs);
      const filler = writer;
      try {
        const step = translateErrors(() => fillSearchIndex(filler));
        steps += 1;
        if (steps % STEPS_BETWEEN_CHECKPOINTS === 0 || step.isDone) takeLogIn(filler, 'passive');
        return step;
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

/** Of some hundred pages each. The main thread needn't take them into the database then. */
const STEPS_BETWEEN_CHECKPOINTS = 8;

/** Milliseconds that a step waits for somebody else's transaction. */
const MAX_WAIT = 1000;

async function connectFiller(path: string, busyTimeoutMs: number): Promise<SqliteDatabase> {
  const writer = await connectWriter(path, busyTimeoutMs);
  writer.pragma('wal_autocheckpoint = 0');
  writer.pragma(`busy_timeout = ${Math.min(MAX_WAIT, busyTimeoutMs)}`);
  return writer;
}

/** What SQLite tells of a checkpoint (sqlite.org/pragma.html#pragma_wal_checkpoint). */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * A checkpoint that waits for nobody. Where the whole log is in the database then, the next who writes begins it anew, and has to wait
 * until the disk has its header: this thread writes a page, that the main thread needn't.
 */
function takeLogIn(writer: SqliteDatabase, how: Checkpoint): void {
  const timeout = writer.pragma('busy_timeout', { simple: true });
  // It would wait for readers with the write lock in its hands.
  writer.pragma('busy_timeout = 0');
  try {
    const [state] = writer.pragma(`wal_checkpoint(${how})`) as readonly LogState[];
    if (how === 'passive' && state && state.log > 0 && state.log === state.checkpointed) {
      const version = writer.pragma('user_version', { simple: true });
      writer.transaction(() => void writer.pragma(`user_version = ${version}`)).immediate();
    }
  } catch (error) {
    // Somebody else writes, and begins it anew.
    if (!isBusy(error)) throw error;
  } finally {
    writer.pragma(`busy_timeout = ${timeout}`);
  }
}
