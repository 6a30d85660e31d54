import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUuid } from '@postshelf/domain';
import { entries } from '../disk/directories.ts';
import { GONE, NOT_EMPTIED, succeeds, withFallback } from '../disk/failures.ts';

/** Called with the size of each discarded file in bytes. */
export type OnFreed = (bytes: number) => void;

/** Milliseconds without a heartbeat after which a process counts as dead. */
export const SILENCE = 60_000;

/** Codes for a directory that was removed in the meantime, or that belongs to another user. */
const CLOSED = [...GONE, 'EACCES'];

/**
 * Discards staged bytes that no process will publish: files of a process that has been silent for {@link SILENCE}, and
 * files outside of the processes' directories that were last written before the given time. Links are neither followed
 * nor discarded.
 *
 * @param own the name of this process's directory, which is kept
 * @param before milliseconds since the epoch
 * @returns the number of discarded files, not counting second names of published objects
 */
export async function discardAbandoned(
  staging: string,
  own: string,
  before: number,
  onFreed: OnFreed = () => undefined,
): Promise<number> {
  let discarded = 0;
  for await (const { name } of await opendir(staging)) {
    if (name === own) continue;
    const path = join(staging, name);
    const found = await withFallback(GONE, lstat(path), null);
    if (!found?.isDirectory()) discarded += await discardFile(path, before, onFreed);
    else if (parseUuid(name) === null) discarded += await discardFiles(path, found.mtimeMs, before, onFreed);
    else if (found.mtimeMs < Date.now() - SILENCE) {
      discarded += await discardFiles(path, found.mtimeMs, Number.POSITIVE_INFINITY, onFreed);
    }
  }
  return discarded;
}

/** @param modifiedAt the directory's modification time before any files were removed */
async function discardFiles(path: string, modifiedAt: number, before: number, onFreed: OnFreed): Promise<number> {
  let discarded = 0;
  for await (const { name } of entries(path, CLOSED)) discarded += await discardFile(join(path, name), before, onFreed);
  if (modifiedAt < before) await succeeds(rmdir(path), NOT_EMPTIED);
  return discarded;
}

async function discardFile(path: string, before: number, onFreed: OnFreed): Promise<number> {
  const found = await withFallback(GONE, lstat(path), null);
  if (!found?.isFile() || found.mtimeMs >= before) return 0;
  const gone = await succeeds(unlink(path), GONE);
  if (!gone || found.nlink > 1) return 0;
  onFreed(found.size);
  return 1;
}
