import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { BackupError, type DatabaseCopy, isUsable, type Uuid } from '@postshelf/domain';
import { deleteItem, lockAndPick } from '../media/delete-item.ts';
import { mediaRepository } from '../media/media-repository.ts';
import { addCoverJob } from '../media/write-items.ts';
import { Sqlite } from '../sqlite/connection/native.ts';
import { openStore } from '../sqlite/store.ts';
import type { Queries } from '../store/dialect.ts';
import { removeTrashed } from '../trash/trash-repository.ts';
import { workspaceRepository } from '../workspaces/workspace-repository.ts';

/**
 * Maximum number of pages per step, so large that a single step copies the whole database. With several steps, SQLite
 * would start the backup again after every write in between.
 */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a database that may be in use (sqlite.org/backup.html).
 *
 * @param path the path of the copy; neither this file nor its companions (`-wal` and so on) may exist
 * @throws BackupError when the database is damaged
 */
export async function copyWhileInUse(file: string, path: string, busyTimeoutMs: number): Promise<DatabaseCopy> {
  await (await open(path, 'wx', 0o600)).close();
  try {
    const source = new Sqlite(file, { readonly: true, timeout: busyTimeoutMs });
    try {
      await source.backup(path, { progress: () => ALL_PAGES });
    } finally {
      source.close();
    }
    return await opened(path, busyTimeoutMs);
  } catch (error) {
    await removeDatabase(path);
    throw error;
  }
}

async function opened(path: string, busyTimeoutMs: number): Promise<DatabaseCopy> {
  requireIntegrity(path, 'quick_check');
  const store = await openStore(path, busyTimeoutMs);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  return {
    media: mediaRepository(store),
    workspaces: workspaceRepository(store),
    removeItem: (id) => store.write((transaction) => removeItem(transaction, id)),
    async seal() {
      await close();
      foldLog(path);
      return { size: (await stat(path)).size, body: readWhole(path) };
    },
    async discard() {
      await close();
      await removeDatabase(path);
    },
  };
}

/** Removes an item from a copy, as `DatabaseCopy.removeItem` promises. */
async function removeItem(transaction: Queries, id: Uuid): Promise<void> {
  await removeTrashed(transaction, [id]);
  const found = await lockAndPick(transaction, id);
  if (found === null) return;
  await transaction.deleteFrom('post_media').where('media_id', '=', id).execute();
  await deleteItem(transaction, found);
  const video = isUsable(found.item) ? found.item.coverOf : null;
  const uncovered = video && (await lockAndPick(transaction, video));
  if (uncovered) await addCoverJob(transaction, uncovered.item);
}

/**
 * Makes sure that the file of a closed database has everything that was committed to it. SQLite writes the log to the
 * file when it closes the database, but doesn't report if that fails.
 *
 * @throws BackupError if the log can't be written to the file, for example because the disk is full
 */
export function foldLog(path: string): void {
  const database = new Sqlite(path, { timeout: 0 });
  try {
    const [state] = database.pragma('wal_checkpoint(truncate)') as readonly { readonly busy: number }[];
    if (state?.busy !== 0) throw new BackupError(`The database ${path} is in use.`);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    throw new BackupError(`The database ${path} cannot be written: ${error.message}`, { cause: error });
  } finally {
    database.close();
  }
}

/** Opens the file only when it is first read, because the copy may be discarded without being read. */
async function* readWhole(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

export function requireIntegrity(path: string, check: 'quick_check' | 'integrity_check'): void {
  const database = new Sqlite(path, { readonly: true });
  try {
    const found = database.pragma(`${check}(1)`, { simple: true });
    if (found !== 'ok') throw new BackupError(`The database is damaged: ${found}`);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    throw new BackupError(`The database is damaged: ${error.message}`, { cause: error });
  } finally {
    database.close();
  }
}

export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(path + suffix, { force: true });
}
