import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, link, lstat, open, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { BackupError, type DatabaseRestore, type Digest } from '@postshelf/domain';
import { UnusableDatabase } from '../database.ts';
import { refuseNewer } from '../migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite/index.ts';
import { removeDatabase, requireSound } from './copy.ts';
import { openStore } from './store.ts';

/** Milliseconds: nobody else knows the file. */
const BUSY_TIMEOUT = 1000;

/** Restores a database to a file, beside which it waits, as `{path}.{random}.restoring`, until it is checked. */
export function restoreSqlite(path: string): DatabaseRestore {
  const place = resolve(path);
  const waiting = `${place}.${randomUUID()}.restoring`;
  return {
    isTaken: () => isThere(place),
    receive: (body) => receive(waiting, body),
    async commit() {
      requireSound(waiting, 'integrity_check');
      const store = await openStore(waiting, BUSY_TIMEOUT);
      try {
        await refuseNewer(store.reads, SQLITE_MIGRATIONS);
      } catch (cause) {
        throw cause instanceof UnusableDatabase ? new BackupError(cause.message, { cause }) : cause;
      } finally {
        await store.close();
      }
      await sync(waiting);
      // link(2) fails where rename(2) would replace what came meanwhile.
      await link(waiting, place).catch((cause: unknown) => {
        if (isCode(cause, 'EEXIST')) throw new BackupError(`${place} came up during the restore.`, { cause });
        throw cause;
      });
      await unlink(waiting);
      await sync(dirname(place));
    },
    discard: () => removeDatabase(waiting),
  };
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

/** write(2) may take fewer bytes than it was given. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) done += (await file.write(bytes, done)).bytesWritten;
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
