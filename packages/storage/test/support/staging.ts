import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { currentOwner, readOwner, type StagingOwner } from '../../src/filesystem/staging/staging-owner.ts';

/** Paths of the staged files, sorted. */
export async function stagedFiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, '.staging'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** Names of what stands directly in the staging area, sorted. */
export const stagingEntries = async (root: string): Promise<string[]> => (await readdir(join(root, '.staging'))).sort();

/** Where this process stages. */
export const ownDirectory = async (root: string): Promise<string> =>
  join(root, '.staging', (await currentOwner()).name);

/** Whether this system tells which processes live; where not, what tests that is skipped. */
export const tellsWhoLives = (await readOwner()) !== null;

/** The process of the tests. */
export async function ownProcess(): Promise<StagingOwner> {
  const run = await readOwner();
  if (!run) throw new Error('This system does not tell which processes live.');
  return run;
}
