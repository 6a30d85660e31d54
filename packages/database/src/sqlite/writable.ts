import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { unavailable } from '../store/errors.ts';
import { isBusy, translateErrors } from './errors.ts';

/**
 * Looks whether the database would take a write: asks for the write lock and gives it back, which writes nothing, and
 * whether the files may be written to. The lock alone doesn't tell of a disk that became read-only since they were opened,
 * and of rights that were taken away, which the next start would meet.
 *
 * @param writer of the database, between two statements of its own
 * @param path of the database that it has open
 * @throws Refusal `unavailable`, the cause of which names the file
 */
export async function requireWritable(writer: Database, path: string): Promise<void> {
  for (const name of [path, `${path}-wal`, dirname(path)]) await requireRight(name);
  // A lock that is held, here or elsewhere, shows that writes work.
  if (writer.inTransaction) return;
  try {
    translateErrors(() => writer.exec('begin immediate'));
  } catch (error) {
    if (isBusy(error)) return;
    throw error;
  }
  translateErrors(() => writer.exec('rollback'));
}

async function requireRight(name: string): Promise<void> {
  const lack = await lackOf(name);
  if (lack !== null) throw unavailable(new Error(lack));
}

/** Why a file or folder can't be written to; null where it can. */
async function lackOf(name: string): Promise<string | null> {
  try {
    await access(name, constants.W_OK);
    return null;
  } catch (cause) {
    // As node has it: "EROFS: read-only file system, access '/var/lib/postshelf/postshelf.db'".
    return `${name} cannot be written to (${cause instanceof Error ? cause.message : cause})`;
  }
}

/**
 * Looks before a file is opened that is there: SQLite would open one that is read-only all the same, and make files beside
 * it that stay so.
 *
 * @throws Error
 */
export async function requireWritableFile(path: string): Promise<void> {
  const lack = existsSync(path) ? await lackOf(path) : null;
  if (lack !== null) throw new Error(lack);
}
