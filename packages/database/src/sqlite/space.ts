import { statSync } from 'node:fs';
import { type FreeSpace, Refusal, type WritePurpose } from '@postshelf/domain';
import { unavailable } from '../store/errors.ts';

/** Bytes that a group of transactions and the checkpoint after it may write before free space is checked again. */
const HEADROOM = 8 * 1024 * 1024;

/**
 * Checks before a transaction that the disk has enough free space for it.
 *
 * @param path the path of the database @throws Refusal `storage_low`
 */
export function requireSpace(space: FreeSpace, path: string, purpose: WritePurpose): void {
  if (isLow(space, path, purpose))
    throw new Refusal({ code: 'storage_low', message: 'The disk is low on space and takes nothing new.' });
}

/**
 * Whether the disk is low on space. The content of the write-ahead log has to fit into the database once more when it
 * is checkpointed (sqlite.org/wal.html, section 2).
 *
 * @param path of the database
 * @returns false, too, if the free space can't be determined: SQLite, or the check of its files, then reports what is
 *   wrong
 */
export function isLow(space: FreeSpace, path: string, purpose: WritePurpose): boolean {
  if (purpose === 'upkeep') return false;
  try {
    space.require(purpose, purpose === 'content' ? HEADROOM + logSize(path) : 0);
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.problem.code === 'storage_low') return true;
    if (error instanceof Refusal && error.problem.code === 'unavailable') return false;
    throw error;
  }
}

/** The log file's size in bytes, unused space included; 0 if it doesn't exist. @throws Refusal `unavailable` */
function logSize(path: string): number {
  try {
    return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw unavailable(error);
  }
}
