import { statSync } from 'node:fs';
import { type FreeSpace, Refusal, type WritePurpose } from '@postshelf/domain';

/** Bytes that a group of transactions may write, and a checkpoint behind them, before anybody looks again. */
const HEADROOM = 8 * 1024 * 1024;

/**
 * Looks before a transaction whether the disk has room for it. What stands in the write-ahead log has to fit into the
 * database once more when it is checkpointed (sqlite.org/wal.html, section 2).
 *
 * @param path of the database
 * @throws Refusal `storage_low`
 */
export function requireSpace(space: FreeSpace, path: string, purpose: WritePurpose): void {
  if (purpose === 'upkeep') return;
  try {
    space.require(purpose, purpose === 'content' ? HEADROOM + logSize(path) : 0);
  } catch (error) {
    if (error instanceof Refusal && error.problem.code === 'storage_low')
      throw new Refusal({ code: 'storage_low', message: 'The disk is low on space and takes nothing new.' });
    throw error;
  }
}

const logSize = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
