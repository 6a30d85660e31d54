import { statSync } from 'node:fs';
import { type FreeSpace, Refusal } from '@postshelf/domain';
import { unavailable } from '../store/errors.ts';

/** Bytes that a group of transactions and its checkpoint may write before space is checked again. */
const HEADROOM = 8 * 1024 * 1024;

/**
 * Free space for a database: the log's content has to fit into it once more (sqlite.org/wal.html, section 2). If the
 * space can't be determined it counts as enough, and SQLite reports what is wrong.
 *
 * @param path the path of the database
 */
export const spaceBesideLog = (disk: FreeSpace, path: string): Pick<FreeSpace, 'has'> => ({
  async has(bytes) {
    try {
      return await disk.has(bytes + HEADROOM + logSize(path));
    } catch (error) {
      if (error instanceof Refusal && error.problem.code === 'unavailable') return true;
      throw error;
    }
  },
});

/** Returns the log's size including unused space; 0 if there is no file. @throws Refusal `unavailable` */
function logSize(path: string): number {
  try {
    return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw unavailable(error);
  }
}
