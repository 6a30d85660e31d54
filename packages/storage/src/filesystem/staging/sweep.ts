import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { entries } from '../disk/directories.ts';
import { GONE, NOT_EMPTIED, succeeds, unless } from '../disk/failures.ts';
import { type Liveness, livenessOf } from './process-liveness.ts';
import { parseOwner, type StagingOwner } from './staging-owner.ts';

/** Called with the bytes of each file that is removed. */
export type OnFreed = (bytes: number) => void;

/** Error codes for a directory that disappeared meanwhile, or that is another user's. */
const CLOSED = [...GONE, 'EACCES'];

/**
 * Removes what nobody will publish: directories of dead processes at once; of directories whose process can't be seen
 * from here, and of stray files, the files last written to before the time, and the directory once it is empty and as
 * old. Those of living processes stay, however old. Links are neither followed nor removed.
 *
 * @param before milliseconds since the epoch
 * @param self the process that sweeps; null when it can't tell who lives
 * @returns how many this call removed, without the second names of published objects
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
  const found = await unless(GONE, lstat(path), null);
  if (!found?.isDirectory()) return dropFile(path, before, onFreed);
  let dropped = 0;
  for await (const { name } of entries(path, CLOSED)) dropped += await dropFile(join(path, name), before, onFreed);
  // Its modification time from before its files were removed. A process that needs the directory makes it again.
  if (found.mtimeMs < before) await succeeds(rmdir(path), NOT_EMPTIED);
  return dropped;
}

async function dropFile(path: string, before: number, onFreed: OnFreed): Promise<number> {
  const found = await unless(GONE, lstat(path), null);
  if (!found?.isFile() || found.mtimeMs >= before) return 0;
  const gone = await succeeds(unlink(path), GONE);
  if (!gone || found.nlink > 1) return 0;
  onFreed(found.size);
  return 1;
}
