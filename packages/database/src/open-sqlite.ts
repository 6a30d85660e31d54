import { resolve } from 'node:path';
import { type FreeSpace, Refusal } from '@postshelf/domain';
import { copyWhileInUse } from './backup/copy-while-in-use.ts';
import { migrate, migrationState, pendingMigrations } from './migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from './migrations/sqlite/index.ts';
import { repositories } from './repositories.ts';
import { isBusy } from './sqlite/errors.ts';
import { MAX_GROUP } from './sqlite/group-commit.ts';
import { cannotOpen, messageOf } from './sqlite/native.ts';
import { openStore } from './sqlite/store.ts';
import { requireWritableFile } from './sqlite/writable.ts';
import type { Database } from './store/database.ts';
import { UnusableDatabase } from './store/errors.ts';

export interface SqliteOptions {
  /** How long a write waits for another process's, milliseconds; then it is `unavailable`. Default 5000. */
  readonly busyTimeoutMs?: number;
  /**
   * The disk of the file, and how much of it has to stay free; null, the default: a full disk is noticed by failing
   * writes.
   */
  readonly space?: FreeSpace | null;
}

const DEFAULT_BUSY_TIMEOUT = 5000;

/**
 * Opens a database in a file, which is made when it is missing (its folder isn't). Runs no migrations.
 *
 * @throws UnusableDatabase when it can't be opened or is something else, with the cause kept
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  // SQLite would read a path that begins with `file:` as a URI.
  const file = resolve(path);
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT;
  const opening = requireWritableFile(file).then(() => openStore(file, timeout, options.space ?? null));
  const store = await opening.catch((cause: unknown) => {
    throw cannotOpen(file, cause);
  });
  return {
    ...repositories(store),
    maxScans: store.maxScans,
    // Fewer pieces in a group would mean more commits for the same writes; with more, later writes would wait for each.
    maxWrites: MAX_GROUP,
    shareScans: (takeSlot) => store.shareScans(takeSlot),
    async migrate() {
      await store.checkWrites().catch((error: unknown) => {
        const cause = error instanceof Refusal ? error.cause : error;
        throw new UnusableDatabase(`The database takes no writes: ${messageOf(cause)}`, { cause });
      });
      return store.transactAll((transaction) => migrate(transaction, SQLITE_MIGRATIONS));
    },
    migrations: () => migrationState(store.reads, SQLITE_MIGRATIONS),
    async check() {
      store.files.require();
      const pending = await pendingMigrations(store.reads, SQLITE_MIGRATIONS);
      if (pending.length === 0) return;
      throw new Refusal({ code: 'unavailable', message: `The database lacks the migration ${pending.join(', ')}.` });
    },
    checkWrites: () => store.checkWrites(),
    rows: {
      place: `sqlite:${file}`,
      reads: store.reads,
      transact: (work) => store.transact(work),
      // By the write lock, of which SQLite has one for the whole file.
      holdStill: (work) => store.transactFor('upkeep', work),
      isBusy,
    },
    pool: null,
    giveBack: (signal) => store.giveBack(signal),
    keepSearchIndex: (signal) => store.keepSearchIndex(signal),
    backups: { copyTo: (path) => copyWhileInUse(file, path, timeout) },
    close: () => store.close(),
  };
}
