import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { BackupError, type DatabaseCopy } from '@postshelf/domain';
import { mediaRepository } from '../media/media-repository.ts';
import { Sqlite } from '../sqlite/native.ts';
import { openStore } from '../sqlite/store.ts';
import { workspaceRepository } from '../workspaces/workspace-repository.ts';

/** All pages in one step: SQLite begins anew when somebody writes between two steps, which could go on for ever. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a database that may be in use (sqlite.org/backup.html), over a connection of its own.
 *
 * @param path where the copy goes: a file that isn't there, nor anything beside it that begins like it
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
  requireSound(path, 'quick_check');
  const store = await openStore(path, busyTimeoutMs);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  return {
    media: mediaRepository(store),
    workspaces: workspaceRepository(store),
    async seal() {
      await close();
      return { size: (await stat(path)).size, body: readWhole(path) };
    },
    async discard() {
      await close();
      await removeDatabase(path);
    },
  };
}

/** Opened when the reader begins: if nobody reads, because the backup can't be written, the copy is removed before. */
async function* readWhole(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** @throws BackupError when SQLite finds the file damaged */
export function requireSound(path: string, check: 'quick_check' | 'integrity_check'): void {
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

/** The file and what SQLite puts beside it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(path + suffix, { force: true });
}
