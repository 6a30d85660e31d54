import type SqliteConstructor from 'better-sqlite3';

/**
 * better-sqlite3 with its native addon. Run from source it finds the addon on disk by itself; a program compiled to
 * one file has no such disk, so there the build names the one addon to take in: `imports` in package.json.
 */
export const Sqlite: typeof SqliteConstructor = require('#better-sqlite3');

/**
 * Whether the error says that the addon can't be loaded. It is when the first database is opened; the compiled program
 * unpacks it to the folder for temporary files before, as dlopen(3) takes nothing but a file.
 */
export const isAddonMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED';
