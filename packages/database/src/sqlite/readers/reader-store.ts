import type { Database as SqliteDatabase } from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { fillSearchIndex } from '../../search/sqlite/fill-search-index.ts';
import type { Checkpoint, FillStep } from '../../store/readers.ts';
import { beforeQueries, scanCancelled } from '../../store/scan.ts';
import type { ScanStore } from '../../store/store.ts';
import type { Tables } from '../../store/tables.ts';
import { connectReader, connectWriter } from '../connection/connect.ts';
import { PreparedSqliteDialect, SQLITE } from '../connection/dialect.ts';
import { isBusy, translateErrors } from '../connection/errors.ts';

/**
 * Number of rows between two checks of whether the query is still wanted. Each check calls JavaScript. Must be a power
 * of two.
 */
const ROWS_BETWEEN_LOOKS = 1024;

export interface ReaderStore extends ScanStore {
  checkpoint(how: Checkpoint): Promise<void>;
  fillSearchIndex(): Promise<FillStep>;
  close(): Promise<void>;
}

/**
 * Opens a connection for scans.
 *
 * @param isWanted whether the caller still waits; called from within queries, because a thread that runs a query
 *   receives no messages
 */
export async function openReaderStore(
  path: string,
  busyTimeoutMs: number,
  isWanted: () => boolean,
): Promise<ReaderStore> {
  const database = await connectReader(path, busyTimeoutMs);
  const requireWanted = (): void => {
    if (!isWanted()) throw scanCancelled();
  };
  // SQLite rethrows what the function throws.
  database.function('wanted', { deterministic: false }, () => {
    requireWanted();
    return 1;
  });
  let writer: SqliteDatabase | null = null;
  let steps = 0;
  const reads = new Kysely<Tables>({
    dialect: new PreparedSqliteDialect(database, 'begin deferred'),
    plugins: [beforeQueries(requireWanted)],
  });
  return {
    read: (work) => reads.transaction().execute(work),
    // This already runs in a reader thread.
    compute: async ({ run }, ...parameters) => {
      requireWanted();
      return run(...parameters);
    },
    dialect: { ...SQLITE, whileWanted: sql`(rowid & ${sql.lit(ROWS_BETWEEN_LOOKS - 1)} or wanted())` },
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
        // The log is checkpointed only after steps that have changed entries. The page that a checkpoint writes changes
        // `data_version`, which causes another step, so the steps would otherwise never end.
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

/** Number of steps between two checkpoints; each step writes some hundred pages. */
const STEPS_BETWEEN_CHECKPOINTS = 8;

const MAX_WAIT = 1000;

async function connectFiller(path: string, busyTimeoutMs: number): Promise<SqliteDatabase> {
  const writer = await connectWriter(path, busyTimeoutMs);
  writer.pragma('wal_autocheckpoint = 0');
  writer.pragma(`busy_timeout = ${Math.min(MAX_WAIT, busyTimeoutMs)}`);
  return writer;
}

/**
 * Number of pages in the log, and how many of them have been checkpointed
 * (sqlite.org/pragma.html#pragma_wal_checkpoint).
 */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Checkpoints the log without waiting for other connections. After a complete checkpoint, the next writer has to
 * restart the log, and waits for the disk. This thread therefore writes a page itself, so that no request has to wait.
 */
function checkpointLog(writer: SqliteDatabase, how: Checkpoint): void {
  const timeout = writer.pragma('busy_timeout', { simple: true });
  // Otherwise `truncate` would wait for readers while holding the write lock.
  writer.pragma('busy_timeout = 0');
  try {
    const [state] = writer.pragma(`wal_checkpoint(${how})`) as readonly LogState[];
    if (how === 'passive' && state && state.log > 0 && state.log === state.checkpointed) {
      const version = writer.pragma('user_version', { simple: true });
      writer.transaction(() => void writer.pragma(`user_version = ${version}`)).immediate();
    }
  } catch (error) {
    // If another connection is writing, it restarts the log itself.
    if (!isBusy(error)) throw error;
  } finally {
    writer.pragma(`busy_timeout = ${timeout}`);
  }
}
