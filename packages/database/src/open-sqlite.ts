import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FreeSpace, Refusal } from '@postshelf/domain';
import { copyWhileInUse } from './backup/copy-while-in-use.ts';
import { withoutEvents } from './events/end-write.ts';
import { migrate, migrationState, pendingMigrations } from './migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from './migrations/sqlite/index.ts';
import { repositories } from './repositories.ts';
import { MAX_GROUP } from './sqlite/commits/group-commit.ts';
import { isBusy } from './sqlite/connection/errors.ts';
import { cannotOpen, messageOf } from './sqlite/connection/native.ts';
import { openStore } from './sqlite/store.ts';
import { requireWritableFile } from './sqlite/writable.ts';
import type { Database } from './store/database.ts';
import { UnusableDatabase, unavailable } from './store/errors.ts';

export interface SqliteOptions {
  /** Milliseconds after which a write fails as `unavailable` while another process writes. Default 5000. */
  readonly busyTimeoutMs?: number;
  /** The free space of the file's disk; if null, a full disk is noticed only when a write fails. */
  readonly space?: FreeSpace | null;
}

const DEFAULT_BUSY_TIMEOUT = 5000;

/**
 * Opens a database file in an existing folder; creates the file if it is missing. Runs no migrations.
 *
 * @throws UnusableDatabase when the file can't be opened or isn't an SQLite database
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  // SQLite would read a path that begins with `file:` as a URI.
  const file = resolve(path);
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT;
  const space = options.space ? spaceBesideLog(options.space, file) : null;
  const opening = requireWritableFile(file).then(() => openStore(file, timeout, space));
  const store = await opening.catch((cause: unknown) => {
    throw cannotOpen(file, cause);
  });
  return {
    ...repositories(store),
    space,
    maxScans: store.maxScans,
    // A group commit takes at most this many writes. With a lower limit, groups would never be full; with a higher one,
    // writes would only queue.
    maxWrites: MAX_GROUP,
    shareScans: (takeSlot) => store.shareScans(takeSlot),
    async migrate(mayShare) {
      await store.checkWrites().catch((error: unknown) => {
        const cause = error instanceof Refusal ? error.cause : error;
        throw new UnusableDatabase(`The database accepts no writes: ${messageOf(cause)}`, { cause });
      });
      return store.writeAll((transaction) => migrate(transaction, SQLITE_MIGRATIONS, undefined, mayShare));
    },
    migrations: () => migrationState(store.reads, SQLITE_MIGRATIONS),
    async check() {
      store.files.require();
      const pending = await pendingMigrations(store.reads, SQLITE_MIGRATIONS);
      if (pending.length === 0) return;
      throw new Refusal({ code: 'unavailable', message: `The database lacks the migration ${pending.join(', ')}.` });
    },
    checkWrites: () => store.checkWrites(),
    now: null,
    rows: {
      place: `sqlite:${file}`,
      reads: store.reads,
      write: (work) => store.write(withoutEvents(store.dialect.outbox, work)),
      // SQLite's only write lock covers the whole file.
      withoutWrites: (work) => store.write(work),
      isBusy,
    },
    pool: null,
    vacuum: (signal) => store.vacuum(signal),
    keepSearchIndex: (signal) => store.keepSearchIndex(signal),
    backups: { copyTo: (path) => copyWhileInUse(file, path, timeout) },
    close: () => store.close(),
  };
}

/** Bytes that a group of transactions and its checkpoint may write before space is checked again. */
const HEADROOM = 8 * 1024 * 1024;

/**
 * Checks whether a database has space for new content. The log's content is also counted, because checkpoints copy it
 * into the database (sqlite.org/wal.html, section 2). If the free space can't be determined, this returns true: SQLite
 * then reports what is wrong when it writes.
 *
 * @param path the path of the database
 */
const spaceBesideLog = (disk: FreeSpace, path: string): Pick<FreeSpace, 'has'> => ({
  async has(bytes) {
    try {
      return await disk.has(bytes + HEADROOM + logSize(path));
    } catch (error) {
      if (error instanceof Refusal && error.problem.code === 'unavailable') return true;
      throw error;
    }
  },
});

/** Returns the log's size including unused space; 0 if there is no file. @throws Refusal `unavailable` */
function logSize(path: string): number {
  try {
    return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw unavailable(error);
  }
}
