import { constants } from 'node:fs';
import { access, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GONE, unavailable, withFallback } from '../disk/failures.ts';
import type { StagingArea } from '../staging/staging-area.ts';

/** Bytes of a probe: one block, too large to be kept in the inode. */
const PROBE_BYTES = 4096;

/** Minimum number of free inodes, which uploads need for folders and files. */
const MIN_INODES = 64;

/** The right to change the entries of a directory. */
const WRITABLE = constants.W_OK | constants.X_OK;

/**
 * Checks that files can be written and deleted.
 *
 * @param refusedIn directories in which a deletion failed
 * @throws Refusal `unavailable`; its cause says why
 */
export async function requireUsable(root: string, staging: StagingArea, refusedIn: readonly string[]): Promise<void> {
  try {
    await requireInodes(root);
    const { path, handle } = await staging.createFile();
    try {
      await handle.write(new Uint8Array(PROBE_BYTES));
    } finally {
      await Promise.all([handle.close(), deleting(dirname(path), unlink(path))]);
    }
    // Deleting a file needs the right to write to its directory. Directories other than the root pass if they no longer
    // exist.
    await deleting(root, access(root, WRITABLE));
    for (const each of refusedIn) await deleting(each, withFallback(GONE, access(each, WRITABLE), undefined));
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * @throws Error with the code of a full disk, for which callers know the remedy, if the file system has too few free
 *   inodes. A file system that doesn't report inodes passes.
 */
async function requireInodes(root: string): Promise<void> {
  const { files, ffree } = await statfs(root);
  if (files === 0 || ffree >= MIN_INODES) return;
  throw Object.assign(new Error(`The disk of ${root} has ${ffree} of ${files} inodes left`), { code: 'ENOSPC' });
}

async function deleting(directory: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Files cannot be deleted in ${directory} (${reason})`, { cause });
  }
}
