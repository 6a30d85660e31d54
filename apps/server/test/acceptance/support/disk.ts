import { type Dirent, readdirSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The database, and the mark that says which library the media are of. */
const ours = /\.(db|sqlite3?)(-wal|-shm|-journal)?$|^\.library$/;

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // A folder that the server removes while we walk is simply no longer there.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Paths (below `dataDir`, sorted) of every file that isn't the database, nor the mark of the media, nor a preview. */
export function filesBelow(dataDir: string): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of entries(folder)) {
      const path = join(folder, entry.name);
      // Previews come when the worker has time, and whoever asks for one has it made.
      if (entry.name === '.previews') continue;
      if (entry.isDirectory()) walk(path);
      else if (!ours.test(entry.name)) found.push(relative(dataDir, path));
    }
  };
  walk(dataDir);
  return found.sort();
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
