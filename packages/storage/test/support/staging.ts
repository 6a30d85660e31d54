import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { currentOwner, readOwner, type StagingOwner } from '../../src/filesystem/staging/staging-owner.ts';

/** The paths of all staged files, sorted. */
export async function stagedFiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, '.staging'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** The names of the entries of the staging area, sorted. */
export const stagingEntries = async (root: string): Promise<string[]> => (await readdir(join(root, '.staging'))).sort();

/** The directory in which this process stages. */
export const ownDirectory = async (root: string): Promise<string> =>
  join(root, '.staging', (await currentOwner()).name);

/** Whether this system can tell which processes are alive; otherwise tests of that are skipped. */
export const detectsDeadProcesses = (await readOwner()) !== null;

/** The owner that identifies the process of the tests. */
export async function ownProcess(): Promise<StagingOwner> {
  const run = await readOwner();
  if (!run) throw new Error('This system cannot tell which processes are alive.');
  return run;
}
