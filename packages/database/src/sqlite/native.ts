import type SqliteConstructor from 'better-sqlite3';

/**
 * better-sqlite3 with its native addon. Run from source it finds the addon on disk by itself; a program compiled to
 * one file has no such disk, so there each platform's addon is named in a `require` that the compiler can follow.
 */
export const Sqlite: typeof SqliteConstructor = Bun.isStandaloneExecutable ? compiledIn() : require('better-sqlite3');

function compiledIn(): typeof SqliteConstructor {
  const platform = `${process.platform}-${process.arch}`;
  if (platform === 'linux-x64') return require('better-sqlite3/linux-x64');
  if (platform === 'linux-arm64') return require('better-sqlite3/linux-arm64');
  if (platform === 'darwin-x64') return require('better-sqlite3/darwin-x64');
  if (platform === 'darwin-arm64') return require('better-sqlite3/darwin-arm64');
  throw new Error(`There is no SQLite for ${platform} in this program`);
}
