import { link, lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDirectory, openDirectory, openPlace, refuseOther } from './directories.ts';
import { syncShared } from './directory-syncs.ts';
import { codeOf, succeeds, unless } from './failures.ts';

/** Each attempt is lost only to another call that removed the emptied directory in between. */
const ATTEMPTS = 16;

/**
 * Gives a synced file a second name, a path three components below the root, whole or not at all, never that of
 * another file, and durably: once this resolves, file and name survive a power cut.
 *
 * By link(2), which fails with EEXIST where rename(2) would silently replace, atomically and also between processes.
 * The staged name stays: it says that the publisher, in whose directory it is, isn't done with the object yet.
 *
 * @throws Error when something stands at the target, when a link or a file stands where a directory belongs, or when
 * the staged file is gone; the operating system's errors otherwise
 */
export async function publishFile(root: string, staged: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptPublish(root, staged, target);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (!(await unless(['ENOENT'], lstat(staged), null))) {
        throw new Error('The staged bytes are gone: they were swept before they were published.', { cause: error });
      }
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptPublish(root: string, staged: string, target: string): Promise<void> {
  const item = dirname(target);
  const workspace = dirname(item);
  await refuseOther(workspace);
  await ensureItem(workspace, item);
  const directory = await openDirectory(item);
  try {
    await link(staged, target);
    try {
      // All of them, also those that were there before: the call which made one may not have synced it yet.
      await Promise.all([directory.sync(), syncShared(workspace), syncShared(root, openPlace)]);
    } catch (error) {
      // Not durable means not published. The caller needs this error rather than one of tidying up.
      await Promise.allSettled([unlink(target)]);
      throw error;
    }
  } finally {
    await directory.close();
  }
}

/** Makes the item's directory, and the workspace's with its first item. */
async function ensureItem(workspace: string, item: string): Promise<void> {
  const made = await succeeds(ensureDirectory(item), ['ENOENT']);
  if (made) return;
  await ensureDirectory(workspace);
  await ensureDirectory(item);
}
