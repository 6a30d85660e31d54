import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, unless } from './failures.ts';

/** Error codes of link(2) on file systems without hard links: FAT, exFAT, some network file systems and FUSE. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS'];

/**
 * Gives a file a second name by link(2), which never replaces a file. Without hard links the second name is that of a
 * synced copy, of which a crash may leave a part.
 *
 * @param name in a folder of this process's own
 * @throws as link(2) does, and as copying does
 */
export async function linkOrCopy(file: string, name: string): Promise<void> {
  if (!(await succeedsWithLinks(link(file, name)))) await copyDurably(file, name);
}

/**
 * Gives a file a further name, whole or not at all, atomically also between processes, and never replacing a file: by
 * link(2), which fails with EEXIST where rename(2) would silently replace. Without hard links a synced copy is moved
 * there; of two processes that do so at the same moment for the same name the later one wins.
 *
 * @param file in a folder of this process's own, synced
 * @throws as link(2) does, and as copying does
 */
export async function publishUnderName(file: string, name: string): Promise<void> {
  if (await succeedsWithLinks(link(file, name))) return;
  const further = join(dirname(file), randomUUID());
  try {
    await copyDurably(file, further);
    await moveUnlessThere(further, name);
  } catch (error) {
    await Promise.allSettled([unlink(further)]);
    throw error;
  }
}

/** Whether hard links work, tried with a file of this process's own. */
export async function hasLinks(file: string): Promise<boolean> {
  const name = join(dirname(file), randomUUID());
  if (!(await succeedsWithLinks(link(file, name)))) return false;
  await unlink(name);
  return true;
}

/** False where there are no links. */
const succeedsWithLinks = (linking: Promise<void>): Promise<boolean> =>
  unless(
    NO_LINKS,
    linking.then(() => true),
    false,
  );

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const copy = await open(to, 'r+');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}

/** @throws Error with code EEXIST, as link(2) would */
async function moveUnlessThere(from: string, to: string): Promise<void> {
  const found = await lstat(to).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found !== null) throw Object.assign(new Error(`EEXIST: ${to} is there already`), { code: 'EEXIST' });
  await rename(from, to);
}
