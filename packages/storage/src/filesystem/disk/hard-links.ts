import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from './directories.ts';
import { codeOf, succeeds, withFallback } from './failures.ts';

/** Code of link(2) and rename(2) between folders on different disks of a pool, such as mergerfs and Unraid. */
const OTHER_DISK = 'EXDEV';

/** Codes of link(2) without hard links: on FAT, exFAT, some network file systems and FUSE, and in a pool. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', OTHER_DISK];

/**
 * Gives a file a second name with link(2), which never replaces a file. Without hard links it makes a synced copy.
 *
 * @param name the new path, in a folder that only this process writes to
 * @throws the errors of link(2) and of copying
 */
export async function linkOrCopy(file: string, name: string): Promise<void> {
  if (!(await succeeds(link(file, name), NO_LINKS))) await copyDurably(file, name);
}

/**
 * Gives a file another name atomically, even between processes. Unlike rename(2), it never replaces a file. Without
 * hard links it renames a synced copy; if two processes do that at the same moment, the later one wins. A process that
 * is killed may leave the copy: among the staged files or, in a pool, as an object that no item has.
 *
 * @param file synced, in a folder that only this process writes to
 * @throws the errors of link(2) and of copying
 */
export async function publishUnderName(file: string, name: string): Promise<void> {
  try {
    await link(file, name);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (!NO_LINKS.includes(code)) throw error;
    await renameCopy(file, dirname(code === OTHER_DISK ? name : file), (copy) => moveUnlessThere(copy, name));
  }
}

/**
 * Renames a file. Between disks of a pool, it renames a synced copy and then removes the file, so that a process that is
 * killed may leave both.
 *
 * @throws the errors of rename(2) and of copying
 */
export async function renameFile(file: string, name: string): Promise<void> {
  if (await succeeds(rename(file, name), [OTHER_DISK])) return;
  await renameCopy(file, dirname(name), (copy) => rename(copy, name));
  // The new name must be durable before the other copy is removed.
  await syncDirectory(dirname(name));
  await unlink(file);
}

async function renameCopy(file: string, folder: string, naming: (copy: string) => Promise<void>): Promise<void> {
  const copy = join(folder, randomUUID());
  try {
    await copyDurably(file, copy);
    await naming(copy);
  } catch (error) {
    await Promise.allSettled([unlink(copy)]);
    throw error;
  }
}

export async function hasLinks(file: string): Promise<boolean> {
  const name = join(dirname(file), randomUUID());
  if (!(await succeeds(link(file, name), NO_LINKS))) return false;
  await unlink(name);
  return true;
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const copy = await open(to, 'r+');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}

/** @throws Error with code EEXIST, as link(2) does */
async function moveUnlessThere(from: string, to: string): Promise<void> {
  const found = await withFallback(['ENOENT'], lstat(to), null);
  if (found !== null) throw Object.assign(new Error(`EEXIST: ${to} exists already`), { code: 'EEXIST' });
  await rename(from, to);
}
