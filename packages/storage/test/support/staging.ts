import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { SILENCE } from '../../src/filesystem/staging/discard-abandoned.ts';
import { OWN } from '../../src/filesystem/staging/staging-area.ts';

/** Returns the paths of all staged files, sorted. */
export async function stagedFiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, '.staging'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** Returns the names of the entries in the staging area, sorted. */
export const stagingEntries = async (root: string): Promise<string[]> => (await readdir(join(root, '.staging'))).sort();

/** Returns the directory in which this process stages. */
export const ownDirectory = (root: string): string => join(root, '.staging', OWN);

/**
 * Makes the directories of other processes look as if these processes had been silent for long enough to count as dead.
 */
export async function outlast(root: string): Promise<void> {
  const then = new Date(Date.now() - SILENCE - 1_000);
  for (const name of await stagingEntries(root)) {
    if (name !== OWN) await utimes(join(root, '.staging', name), then, then);
  }
}
