import { resolve } from 'node:path';
import { Refusal } from '@postshelf/domain';
import { type Database, UnusableDatabase } from '../database.ts';
import { migrate, pendingMigrations } from '../migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite/index.ts';
import { repositories } from '../repositories/repositories.ts';
import { rowAccess } from './row-access.ts';
import { openStore } from './store.ts';

export interface SqliteOptions {
  /** How long a write waits for another process's, milliseconds; then it is `unavailable`. Default 5000. */
  readonly busyTimeoutMs?: number;
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
  const store = await openStore(file, options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UnusableDatabase(`Cannot open the database ${file}: ${reason}`, { cause });
  });
  return {
    ...repositories(store),
    migrate: () => store.transact((transaction) => migrate(transaction, SQLITE_MIGRATIONS)),
    async check() {
      const pending = await pendingMigrations(store.reads, SQLITE_MIGRATIONS);
      if (pending.length === 0) return;
      throw new Refusal({ code: 'unavailable', message: `The database lacks the migration ${pending.join(', ')}.` });
    },
    rows: rowAccess(store, file),
    close: () => store.close(),
  };
}
