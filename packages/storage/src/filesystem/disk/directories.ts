import { constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, opendir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, GONE, NOT_EMPTIED, unless } from './failures.ts';

/** Only the service's own user has access. */
const PRIVATE = 0o700;

/** Flags for open(2) that open a directory, and fail with ENOTDIR or ELOOP for a file or a symbolic link: a planted link is never followed. */
export const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * The same for a directory that the operator named, or that is on the way to it: a symbolic link there is theirs, and
 * followed (systemd makes one for every state directory of a dynamic user: systemd.exec(5), "DynamicUser=").
 */
export const DIRECTORY_OR_LINK = constants.O_RDONLY | constants.O_DIRECTORY;

/**
 * Makes the directory's entries survive a power cut (fsync(2): syncing a file doesn't sync its name).
 *
 * @param flags {@link DIRECTORY}, or {@link DIRECTORY_OR_LINK} where a link is the operator's
 */
export async function syncDirectory(path: string, flags: number = DIRECTORY): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** {@link syncDirectory} where a link is the operator's. */
export const syncFollowingLinks = (path: string): Promise<void> => syncDirectory(path, DIRECTORY_OR_LINK);

/** Makes the directory unless something is there, which stays. Its parent must exist. */
export async function ensureDirectory(path: string): Promise<void> {
  await unless(['EEXIST'], mkdir(path, PRIVATE), undefined);
}

/** @throws Error when something other than a directory is there, also a link to one; nothing at all is fine */
export async function requireDirectoryOrNothing(path: string): Promise<void> {
  const found = await unless(['ENOENT'], lstat(path), null);
  if (found && !found.isDirectory()) throw new Error(`${path} must be a directory.`);
}

/**
 * Makes the directory, for the own user alone, and its missing parents, so that all of them survive a power cut.
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

/** Whether there is a directory, and not a link to one. */
export async function isDirectory(path: string): Promise<boolean> {
  const found = await unless(GONE, lstat(path), null);
  return found?.isDirectory() ?? false;
}

/** The same for a path that the operator named, where a link to a directory is fine. */
export async function isDirectoryOrLink(path: string): Promise<boolean> {
  const found = await unless(GONE, stat(path), null);
  return found?.isDirectory() ?? false;
}

/** The directory's entries; none when it can't be opened, for one of the reasons given. */
export async function* entries(path: string, unlessCodes: readonly string[]): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!unlessCodes.includes(codeOf(error) ?? '')) throw error;
  }
}

/** Error codes of rmdir for a directory that isn't ours to remove. */
const NOT_OURS = ['EACCES', 'EPERM', 'EBUSY', 'ENOTDIR'];

/**
 * Removes a directory that a crash left empty, unless a file was added meanwhile; publishing into it makes it again.
 * Not synced: if a power cut brings it back, it is removed the next time.
 */
export async function removeIfEmpty(path: string): Promise<void> {
  await unless([...NOT_EMPTIED, ...NOT_OURS], rmdir(path), undefined);
}
