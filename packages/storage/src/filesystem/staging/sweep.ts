import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { entries } from '../disk/directories.ts';
import { GONE, NOT_EMPTIED, succeeds, withFallback } from '../disk/failures.ts';
import { type Liveness, livenessOf } from './process-liveness.ts';
import { parseOwner, type StagingOwner } from './staging-owner.ts';

/** Called with the size of each removed file. */
export type OnFreed = (bytes: number) => void;

/** Error codes for a directory that was removed meanwhile or belongs to another user. */
const CLOSED = [...GONE, 'EACCES'];

/**
 * Removes staged bytes that no process will publish. Directories of dead processes are removed at once. In directories
 * whose process can't be seen from here, and among stray files, only files last written before the given time are
 * removed, and such a directory once it is empty and as old. Directories of living processes stay, however old. Links
 * are neither followed nor removed.
 *
 * @param before milliseconds since the epoch
 * @param self the sweeping process; null when it can't tell which processes are alive
 * @returns the number of removed files, not counting second names of published objects
 */
export async function sweep(
  staging: string,
  before: number,
  self: StagingOwner | null,
  onFreed: OnFreed = () => undefined,
): Promise<number> {
  let dropped = 0;
  for await (const { name } of await opendir(staging)) {
    const path = join(staging, name);
    const life = await livenessOfOwner(name, self);
    if (life === 'alive') continue;
    dropped += await drop(path, life === 'dead' ? Number.POSITIVE_INFINITY : before, onFreed);
  }
  return dropped;
}

async function livenessOfOwner(name: string, self: StagingOwner | null): Promise<Liveness> {
  const owner = parseOwner(name);
  return owner && self ? livenessOf(owner, self) : 'unknown';
}

async function drop(path: string, before: number, onFreed: OnFreed): Promise<number> {
  const found = await withFallback(GONE, lstat(path), null);
  if (!found?.isDirectory()) return dropFile(path, before, onFreed);
  let dropped = 0;
  for await (const { name } of entries(path, CLOSED)) dropped += await dropFile(join(path, name), before, onFreed);
  // `found` has the modification time from before the files were removed. A process that needs the directory creates it
  // again.
  if (found.mtimeMs < before) await succeeds(rmdir(path), NOT_EMPTIED);
  return dropped;
}

async function dropFile(path: string, before: number, onFreed: OnFreed): Promise<number> {
  const found = await withFallback(GONE, lstat(path), null);
  if (!found?.isFile() || found.mtimeMs >= before) return 0;
  const gone = await succeeds(unlink(path), GONE);
  if (!gone || found.nlink > 1) return 0;
  onFreed(found.size);
  return 1;
}
