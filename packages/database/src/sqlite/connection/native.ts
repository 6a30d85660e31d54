import { tmpdir } from 'node:os';
import type SqliteConstructor from 'better-sqlite3';
import { UnusableDatabase } from '../../store/errors.ts';

/**
 * better-sqlite3 with its native addon. For a compiled program, which includes the addon, `imports` in package.json
 * selects the addon of the target platform.
 */
export const Sqlite: typeof SqliteConstructor = require('#better-sqlite3');

/**
 * Returns the error for a file that can't be used as a database. The compiled program unpacks its addon to the
 * temporary folder before it opens the first database; if that fails, the error says so.
 */
export function cannotOpen(file: string, cause: unknown): UnusableDatabase {
  const isAddonMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_DLOPEN_FAILED';
  const message = isAddonMissing
    ? `TMPDIR: SQLite's addon cannot be unpacked to ${tmpdir()} and loaded from there: the folder must exist, be writable, have 3 MB free, and not be mounted noexec`
    : `Cannot open the database ${file}: ${messageOf(cause)}`;
  return new UnusableDatabase(message, { cause });
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
