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
  checkpoint(how: Checkpoint): Promise<void>;
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
      checkpointLog(writer, how);
    },
    async fillSearchIndex() {
      writer ??= await connectFiller(path, busyTimeoutMs);
      const filler = writer;
      try {
        const step = translateErrors(() => fillSearchIndex(filler));
        if (step.entries > 0) steps += 1;
        // Not where nothing was done: the page that is written would be something new to look at.
        if (step.entries > 0 && steps % STEPS_BETWEEN_CHECKPOINTS === 0) checkpointLog(filler, 'passive');
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

/** Of some hundred pages each: so that the main thread needn't checkpoint them. */
const STEPS_BETWEEN_CHECKPOINTS = 8;

/** Milliseconds that a step waits for another transaction. */
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
 * A checkpoint that waits for no other connection. Once the whole log is in the database, the next writer begins the log anew and waits
 * until its header is on the disk. So this thread writes a page, and the main thread needn't wait.
 */
function checkpointLog(writer: SqliteDatabase, how: Checkpoint): void {
  const timeout = writer.pragma('busy_timeout', { simple: true });
  // Otherwise it would wait for readers while holding the write lock.
  writer.pragma('busy_timeout = 0');
  try {
    const [state] = writer.pragma(`wal_checkpoint(${how})`) as readonly LogState[];
    if (how === 'passive' && state && state.log > 0 && state.log === state.checkpointed) {
      const version = writer.pragma('user_version', { simple: true });
      writer.transaction(() => void writer.pragma(`user_version = ${version}`)).immediate();
    }
  } catch (error) {
    // Another connection writes, and begins it anew.
    if (!isBusy(error)) throw error;
  } finally {
    writer.pragma(`busy_timeout = ${timeout}`);
  }
}
