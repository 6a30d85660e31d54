import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, link, lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BackupError, type DatabaseRestore, type Digest, type Uuid } from '@postshelf/domain';
import { fenceRepository } from '../library/fence-repository.ts';
import { libraryRepository } from '../library/library-repository.ts';
import { mediaRepository } from '../media/media-repository.ts';
import { migrate, migrationState } from '../migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite/index.ts';
import { removeAllSessions } from '../sessions/remove-sessions.ts';
import { isLibraryAt } from '../sqlite/is-library-at.ts';
import { openStore, type SqliteStore } from '../sqlite/store.ts';
import { foldLog, removeDatabase, requireIntegrity } from './copy-while-in-use.ts';
import { requireOwnSchema } from './own-schema.ts';

const BUSY_TIMEOUT = 1000;

/** Files that SQLite creates next to a database, and would apply to another database with the same name. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/**
 * Restores a database to a file. The database is received and checked at `{path}.{random}.restoring`. If a restore is
 * killed, the next successful restore removes this file. All sessions are deleted, because some may have been revoked
 * since the backup. Unfinished resumable uploads are deleted as well.
 */
export function restoreSqlite(path: string): DatabaseRestore {
  const place = resolve(path);
  const waiting = `${place}.${randomUUID()}.restoring`;
  let store: SqliteStore | null = null;
  const close = async (): Promise<void> => {
    await store?.close();
    store = null;
  };
  return {
    existing: () => existingAt(place),
    receive: (body) => receive(waiting, body),
    async open() {
      store ??= await openReceived(waiting);
      return { library: libraryRepository(store), fence: fenceRepository(store), media: mediaRepository(store) };
    },
    async commit() {
      if (store === null) throw new Error('The database was not opened.');
      await close();
      foldLog(waiting);
      await sync(waiting);
      await putInPlace(waiting, place).catch((cause: unknown) => {
        if (isCode(cause, 'EEXIST')) throw new BackupError(`${place} was created during the restore.`, { cause });
        throw cause;
      });
      await sync(dirname(place));
      await removeWaiting(place);
    },
    async discard() {
      await close();
      await removeDatabase(waiting);
    },
  };
}

const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS'];

/**
 * Moves the file with link(2), which, unlike rename(2), never replaces an existing file. Where hard links aren't
 * supported, the file is renamed.
 *
 * @throws Error with code EEXIST
 */
async function putInPlace(waiting: string, place: string): Promise<void> {
  try {
    await link(waiting, place);
  } catch (error) {
    if (!NO_LINKS.some((code) => isCode(error, code))) throw error;
    if (await isThere(place)) throw Object.assign(new Error(`${place} already exists.`), { code: 'EEXIST' });
    await rename(waiting, place);
  }
}

async function existingAt(place: string): Promise<Awaited<ReturnType<DatabaseRestore['existing']>>> {
  if (!(await isThere(place))) {
    for (const companion of COMPANIONS) {
      if (!(await isThere(place + companion))) continue;
      throw new BackupError(`${place}${companion} belongs to another database: move it to that database's folder.`);
    }
    return null;
  }
  if (!(await isLibraryAt(place).catch(() => false))) return { library: null };
  const store = await openStore(place, BUSY_TIMEOUT);
  try {
    await migrationState(store.reads, SQLITE_MIGRATIONS);
    return { library: await libraryRepository(store).find() };
  } finally {
    await store.close();
  }
}

async function openReceived(path: string): Promise<SqliteStore> {
  if (!(await isThere(path))) throw new BackupError('There is no database in the backup.');
  await requireOwnSchema(path);
  requireIntegrity(path, 'integrity_check');
  const store = await openStore(path, BUSY_TIMEOUT);
  try {
    await store.write(async (transaction) => {
      await migrate(transaction, SQLITE_MIGRATIONS);
      await removeAllSessions(transaction);
      // Otherwise links and calendars that were revoked since the backup would be valid again.
      await transaction.deleteFrom('calendars').execute();
      await transaction
        .updateTable('workspaces')
        .set({ link_key: randomUUID() as Uuid })
        .execute();
      // Backups don't contain the pieces of unfinished uploads, so these uploads are deleted: otherwise clients would
      // send the rest, and learn only at the end that pieces are missing. The outcomes of settled uploads remain valid,
      // so they are kept.
      const unsettled = transaction.selectFrom('presigned_uploads').select('media_id');
      await transaction.deleteFrom('resumable_uploads').where('media_id', 'in', unsettled).execute();
    });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function receive(path: string, body: AsyncIterable<Uint8Array>): Promise<Digest> {
  const file = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of body) {
      hash.update(chunk);
      await writeAll(file, chunk);
      size += chunk.byteLength;
    }
    return { size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/** Writes all bytes: a single write(2) may write fewer bytes than requested. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) done += (await file.write(bytes, done)).bytesWritten;
}

/** Removes the files of this restore and of killed restores. */
async function removeWaiting(place: string): Promise<void> {
  const folder = dirname(place);
  for (const name of await readdir(folder)) {
    const isOurs =
      name.startsWith(`${basename(place)}.`) && /\.[0-9a-f-]{36}\.restoring(-wal|-shm|-journal)?$/.test(name);
    if (isOurs) await unlink(join(folder, name));
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
