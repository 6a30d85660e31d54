import { type Dirent, readdirSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The names of the database's files, and of the library's mark. */
const DATABASE_OR_MARK = /\.(db|sqlite3?)(-wal|-shm|-journal)?$|^\.library$/;

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // The server may remove a folder before it is listed.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The sorted paths of all files except for the database, the library's mark and previews. They are relative to
 * `dataDir`.
 */
export function filesBelow(dataDir: string): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of entries(folder)) {
      const path = join(folder, entry.name);
      // Previews may appear at any time, because the worker or a request makes them.
      if (entry.name === '.previews') continue;
      if (entry.isDirectory()) walk(path);
      else if (!DATABASE_OR_MARK.test(entry.name)) found.push(relative(dataDir, path));
    }
  };
  walk(dataDir);
  return found.sort();
}

/** The permission bits of a file, such as 0o600. */
export function permissions(path: string): number {
  return statSync(path).mode & 0o777;
}

const TWO_DAYS = 2 * 86_400;

/**
 * Makes every file below `dataDir` two days old, so that a cleanup can't mistake any of them for part of a running
 * request.
 */
export function ageFiles(dataDir: string): void {
  const twoDaysAgo = Date.now() / 1000 - TWO_DAYS;
  for (const path of filesBelow(dataDir)) utimesSync(join(dataDir, path), twoDaysAgo, twoDaysAgo);
  outlastKilled(dataDir);
}

/**
 * Makes the staging folders two days old, so that the service considers their processes dead. These must have ended.
 */
export function outlastKilled(dataDir: string): void {
  const twoDaysAgo = Date.now() / 1000 - TWO_DAYS;
  const staging = join(dataDir, 'media/.staging');
  for (const { name } of entries(staging)) utimesSync(join(staging, name), twoDaysAgo, twoDaysAgo);
}
