import { type Dirent, readdirSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { until } from './until.ts';

const database = /\.(db|sqlite3?)(-wal|-shm|-journal)?$/;

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // A folder that the server removes while we walk is simply no longer there.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Paths (below `dataDir`, sorted) of every file that isn't the database. */
export function filesBelow(dataDir: string): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of entries(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (!database.test(entry.name)) found.push(relative(dataDir, path));
    }
  };
  walk(dataDir);
  return found.sort();
}

/** Whether the object of that `full_name` lies somewhere below `dataDir`. */
export function objectOnDisk(dataDir: string, fullName: string): boolean {
  return filesBelow(dataDir).some((path) => path === fullName || path.endsWith(`/${fullName}`));
}

/** Waits until `dataDir` holds exactly the files that it held before; a hung-up request is cleaned up in its own time. */
export async function untilFilesAre(dataDir: string, before: readonly string[], deadline = 10_000) {
  const wanted = before.join('\n');
  try {
    await until('no file is left over', () => filesBelow(dataDir).join('\n') === wanted, deadline);
  } catch {
    const left = filesBelow(dataDir).filter((path) => !before.includes(path));
    const gone = before.filter((path) => !filesBelow(dataDir).includes(path));
    throw new Error(`Files left over: ${JSON.stringify(left)}; files missing: ${JSON.stringify(gone)}`);
  }
}

/** The permission bits of a file, as in 0o600. */
export function permissions(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Makes every file below `dataDir` two days old, for what is tidied up only when no running request can own it. */
export function ageFiles(dataDir: string): void {
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  for (const path of filesBelow(dataDir)) utimesSync(join(dataDir, path), twoDaysAgo, twoDaysAgo);
}
