import { rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './directories.ts';
import { NOT_EMPTIED, succeeds, unless } from './failures.ts';
import { lookUp, standsInFolders } from './look-up.ts';

/**
 * Removes the object's file, durably, and the item's directory once it is empty. The workspace's directory always
 * stays, so that publishing into it can rely on it.
 */
export async function removeFile(path: string): Promise<void> {
  if (await lookUp(path)) await unless(['ENOENT'], unlink(path), undefined);
  if (!(await standsInFolders(path))) return;
  const item = dirname(path);
  const emptied = await succeeds(rmdir(item), NOT_EMPTIED);
  const synced = !emptied && (await succeeds(syncDirectory(item), ['ENOENT']));
  if (!synced) await syncDirectory(dirname(item));
}
