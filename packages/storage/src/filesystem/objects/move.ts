import { dirname } from 'node:path';
import { DIRECTORY_OR_LINK, makeDirectories, syncDirectory } from '../disk/directories.ts';
import { syncShared } from '../disk/directory-syncs.ts';
import { renameFile } from '../disk/hard-links.ts';
import { syncRemoval } from './remove.ts';

/**
 * Moves a file with rename(2), so that it is in exactly one of the two places even if the process is killed; between
 * disks of a pool, it may be in both. The target's folders are made durable first.
 *
 * @param outer the folders between the root and the folder of the target's workspace
 * @throws Error with code ENOENT if the file, or one of the folders, was removed in the meantime
 */
export async function moveFile(root: string, source: string, target: string, outer: readonly string[]): Promise<void> {
  const item = dirname(target);
  const parents = [...outer, dirname(item)];
  await makeDirectories([...parents, item]);
  // If a folder already existed, the call that created it may not have synced it yet.
  await Promise.all([...parents.map((directory) => syncShared(directory)), syncShared(root, DIRECTORY_OR_LINK)]);
  await renameFile(source, target);
  await syncDirectory(item);
  await syncRemoval(dirname(source));
}
