import { tmpdir } from 'node:os';
import type SqliteConstructor from 'better-sqlite3';
import { UnusableDatabase } from '../../store/errors.ts';

/**
 * better-sqlite3 with its native addon. Run from source, it finds the addon on disk. A program compiled to one file has
 * no `node_modules`, so the build includes the addon that `imports` in package.json names.
 */
export const Sqlite: typeof SqliteConstructor = require('#better-sqlite3');

/**
 * The error for a file that can't be used as a database. The addon is loaded when the first database is opened; the
 * compiled program unpacks it to the temporary folder before that, as dlopen(3) needs a file.
 */
export function cannotOpen(file: string, cause: unknown): UnusableDatabase {
  const isAddonMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_DLOPEN_FAILED';
  const message = isAddonMissing
    ? `TMPDIR: SQLite's addon cannot be unpacked to ${tmpdir()} and loaded from there: the folder must exist, be writable, and not be mounted noexec`
    : `Cannot open the database ${file}: ${messageOf(cause)}`;
  return new UnusableDatabase(message, { cause });
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
