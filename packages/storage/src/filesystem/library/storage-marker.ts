import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type StorageMark, type StorageMarker, UnreadableMark } from '@postshelf/domain';
import { isSameMark, MARK, MARK_LIMIT, readMark, writeMark } from '../../reserved-keys/library-mark.ts';
import { syncFollowingLinks } from '../disk/directories.ts';
import { codeOf, GONE, succeeds, translateErrors, withFallback } from '../disk/failures.ts';
import { publishUnderName } from '../disk/hard-links.ts';
import { readFully, writeFully } from '../disk/read-write.ts';
import { StagingArea } from '../staging/staging-area.ts';

/** Codes of open(2) for a link, a folder or a socket. */
const NOT_A_FILE = ['ELOOP', 'EISDIR', 'ENXIO'];

/**
 * Error codes which mean that this user isn't allowed to read the mark. Other errors mean that the storage is
 * unavailable.
 */
const FORBIDDEN = ['EACCES', 'EPERM'];
const MAY_NOT_READ = 'cannot be read by this user: give it to the user who owns the media (chown).';

/**
 * The name of the mark that will replace the current one. The file is also a lock: only one of several callers can
 * create it.
 */
const NEXT = `${MARK}.next`;

/** Milliseconds after which the lock counts as left behind by a killed process. */
const ABANDONED = 60_000;

/** Milliseconds between two attempts to get a lock that another caller holds. */
const RETRY_INTERVAL = 20;

/**
 * Opens the library's mark in a directory of objects: `{root}/.library`, which only the service's user may read.
 * Reading the mark creates nothing.
 */
export function fileMarker(root: string): StorageMarker {
  const absolute = resolve(root);
  const path = join(absolute, MARK);
  return {
    read: () => translateErrors(() => readFrom(path)),
    create: (mark) => translateErrors(() => publishMark(path, absolute, mark)),
    write: (mark) =>
      translateErrors(async () => {
        const started = performance.now();
        while ((await replace(absolute, mark, async () => true)) === 'locked') {
          await delay(RETRY_INTERVAL);
          // The time that this process has waited counts, because the lock's age by a file server's clock may never
          // reach the limit.
          if (performance.now() - started > ABANDONED)
            await withFallback(GONE, unlink(join(absolute, NEXT)), undefined);
        }
      }),
    swap: (from, to) =>
      translateErrors(async () => {
        const isFrom = async (): Promise<boolean> => isSameMark(from, await readFrom(path));
        return (await replace(absolute, to, isFrom)) === 'replaced';
      }),
  };
}

/** Replaces the mark while holding the lock. @param mayReplace called once the lock is held */
async function replace(
  root: string,
  to: StorageMark,
  mayReplace: () => Promise<boolean>,
): Promise<'replaced' | 'refused' | 'locked'> {
  const next = join(root, NEXT);
  const lock = await withFallback(GONE, stat(next), null);
  if (lock && Date.now() - lock.mtimeMs > ABANDONED) await withFallback(GONE, unlink(next), undefined);
  if (!(await publishMark(next, root, to))) return 'locked';
  let isOurs = true;
  try {
    if (!(await mayReplace())) return 'refused';
    await rename(next, join(root, MARK));
    isOurs = false;
  } finally {
    // After the rename, a file with this name may be another caller's lock, which must not be removed.
    if (isOurs) await withFallback(GONE, unlink(next), undefined);
  }
  await syncFollowingLinks(root);
  return 'replaced';
}

async function readFrom(path: string): Promise<StorageMark | null> {
  const handle = await openMark(path);
  if (handle === null) return null;
  try {
    if (!(await handle.stat()).isFile()) throw new UnreadableMark(path);
    const bytes = await readFully(handle, 0, MARK_LIMIT + 1);
    if (bytes.byteLength > MARK_LIMIT) throw new UnreadableMark(path);
    return readMark(bytes, path);
  } finally {
    await handle.close();
  }
}

async function openMark(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (GONE.includes(code)) return null;
    if (FORBIDDEN.includes(code)) throw new UnreadableMark(path, undefined, MAY_NOT_READ);
    if (NOT_A_FILE.includes(code)) throw new UnreadableMark(path);
    throw error;
  }
}

/**
 * Writes the mark to a draft in the staging area, where abandoned files are discarded, and publishes it under the path.
 * Returns false if that file exists already.
 */
async function publishMark(path: string, root: string, mark: StorageMark): Promise<boolean> {
  const draft = await (await StagingArea.open(root)).createFile();
  try {
    await writeFully(draft.handle, writeMark(mark), 0);
    await giveToOwnerOf(root, draft.handle);
    await draft.handle.sync();
    if (!(await succeeds(publishUnderName(draft.path, path), ['EEXIST']))) return false;
  } finally {
    // After a rename the draft's name no longer exists, so this may fail.
    await Promise.allSettled([unlink(draft.path)]);
    await draft.handle.close();
  }
  await syncFollowingLinks(root);
  return true;
}

/** If this process runs as root, which commands may do, gives the file to the directory's owner. */
async function giveToOwnerOf(root: string, file: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(root);
  await file.chown(uid, gid);
}
