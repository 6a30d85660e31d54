import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { unavailable } from '../store/errors.ts';
import { isBusy, translateErrors } from './connection/errors.ts';

/**
 * Checks whether the database would take a write. It takes and releases the write lock, which writes nothing. It also
 * checks the rights on the files, because the lock doesn't reveal a disk that became read-only.
 *
 * @param writer the connection that writes; it must not be executing a statement
 * @throws Refusal `unavailable`, whose cause names the file
 */
export async function requireWritable(writer: Database, path: string): Promise<void> {
  for (const name of [path, `${path}-wal`, dirname(path)]) await requireRight(name);
  // A running transaction shows that writes work.
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
  if (lack !== null) throw unavailable(lack);
}

/** Returns an error that says why a file isn't writable; null if the file is writable. */
async function lackOf(name: string): Promise<Error | null> {
  try {
    await access(name, constants.W_OK);
    return null;
  } catch (cause) {
    // The cause is worded by Node: "EROFS: read-only file system, access '/var/lib/postshelf/postshelf.db'".
    return new Error(`${name} cannot be written to (${cause instanceof Error ? cause.message : cause})`, { cause });
  }
}

/**
 * Checks that a file is writable: SQLite would open a read-only file, and create its log read-only as well.
 *
 * @throws Error when the file exists and isn't writable
 */
export async function requireWritableFile(path: string): Promise<void> {
  const lack = existsSync(path) ? await lackOf(path) : null;
  if (lack !== null) throw lack;
}
