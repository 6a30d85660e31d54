import { rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../disk/directories.ts';
import { NOT_EMPTIED, succeeds, withFallback } from '../disk/failures.ts';
import { findFile, isItemFolder } from './find-file.ts';

/**
 * Removes the object's file durably, and the item's directory once it is empty. The workspace's directory remains,
 * because publishing relies on it.
 */
export async function removeFile(path: string): Promise<void> {
  if (await findFile(path)) await withFallback(['ENOENT'], unlink(path), undefined);
  await syncRemoval(dirname(path));
}

/** Makes the removal of files durable, and removes the directory once it is empty. */
export async function syncRemoval(item: string): Promise<void> {
  if (!(await isItemFolder(item))) return;
  const emptied = await succeeds(rmdir(item), NOT_EMPTIED);
  const synced = !emptied && (await succeeds(syncDirectory(item), ['ENOENT']));
  if (!synced) await syncDirectory(dirname(item));
}
