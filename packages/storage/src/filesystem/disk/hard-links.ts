import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { succeeds, withFallback } from './failures.ts';

/** Codes of link(2) on file systems without hard links: FAT, exFAT, some network file systems and FUSE. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS'];

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
 * hard links it renames a synced copy; if two processes do that at the same moment, the later one wins.
 *
 * @param file synced, in a folder that only this process writes to
 * @throws the errors of link(2) and of copying
 */
export async function publishUnderName(file: string, name: string): Promise<void> {
  if (await succeeds(link(file, name), NO_LINKS)) return;
  const further = join(dirname(file), randomUUID());
  try {
    await copyDurably(file, further);
    await moveUnlessThere(further, name);
  } catch (error) {
    await Promise.allSettled([unlink(further)]);
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
