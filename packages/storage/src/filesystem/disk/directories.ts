import { constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, opendir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, GONE, NOT_EMPTIED, succeeds, withFallback } from './failures.ts';

/** The mode of directories that only the service's own user may use. */
const PRIVATE = 0o700;

/**
 * Flags with which open(2) accepts only a directory. It fails for a file or a symbolic link, so planted links aren't
 * followed.
 */
export const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Like {@link DIRECTORY}, but also accepts a symbolic link: the operator may have created one, or systemd for the state
 * directory of a dynamic user.
 */
export const DIRECTORY_OR_LINK = constants.O_RDONLY | constants.O_DIRECTORY;

/**
 * Makes the directory's entries durable: syncing a file doesn't sync its name (fsync(2)).
 *
 * @param flags {@link DIRECTORY}, or {@link DIRECTORY_OR_LINK} if the operator may have put a link there
 */
export async function syncDirectory(path: string, flags: number = DIRECTORY): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const syncFollowingLinks = (path: string): Promise<void> => syncDirectory(path, DIRECTORY_OR_LINK);

/** Creates the directory unless something exists at the path. */
export async function ensureDirectory(path: string): Promise<void> {
  await withFallback(['EEXIST'], mkdir(path, PRIVATE), undefined);
}

/** Creates directories, the outermost first. @throws Error when something else, such as a link, exists at a path */
export async function makeDirectories(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await ensureDirectory(path);
    const found = await withFallback(['ENOENT'], lstat(path), null);
    if (found && !found.isDirectory()) throw new Error(`${path} must be a directory.`);
  }
}

/**
 * Creates the directory and its missing parents durably, accessible only to this process's user.
 *
 * @param path absolute
 */
export async function ensureRoot(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: PRIVATE });
  if (firstMade === undefined) return;
  for (let made = path; made.length >= firstMade.length; made = dirname(made)) {
    await syncFollowingLinks(dirname(made));
  }
}

export async function isDirectory(path: string): Promise<boolean> {
  const found = await withFallback(GONE, lstat(path), null);
  return found?.isDirectory() ?? false;
}

/** Whether the path is a directory or a link to one. */
export async function isDirectoryOrLink(path: string): Promise<boolean> {
  const found = await withFallback(GONE, stat(path), null);
  return found?.isDirectory() ?? false;
}

/** Lists a directory. Yields nothing when opening it fails with one of the codes. */
export async function* entries(path: string, unlessCodes: readonly string[]): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!unlessCodes.includes(codeOf(error) ?? '')) throw error;
  }
}

/** Codes of rmdir(2) for a directory that this process isn't allowed to remove. */
const NOT_OURS = ['EACCES', 'EPERM', 'EBUSY', 'ENOTDIR'];

/**
 * Removes a directory if it is empty, as a crash may leave it. The removal isn't synced: a directory that reappears
 * after a power cut is removed the next time.
 *
 * @returns whether it was removed
 */
export const removeIfEmpty = (path: string): Promise<boolean> => succeeds(rmdir(path), [...NOT_EMPTIED, ...NOT_OURS]);
