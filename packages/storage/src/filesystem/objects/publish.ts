import { randomUUID } from 'node:crypto';
import { closeSync, fsync, lstatSync, openSync } from 'node:fs';
import { lstat, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DIRECTORY, ensureDirectory } from '../disk/directories.ts';
import { syncName } from '../disk/directory-names.ts';
import { syncShared } from '../disk/directory-syncs.ts';
import { codeOf, succeeds, unless } from '../disk/failures.ts';
import { linkOrCopy, publishUnderName } from '../disk/hard-links.ts';

const syncDescriptor = promisify(fsync);

/** Each attempt is lost only to another call that removed the emptied directory in between. */
const ATTEMPTS = 16;

/**
 * Gives a file a second name, a path three components below the root, whole or not at all, never that of
 * another file, and durably: once this resolves, file and name survive a power cut.
 *
 * By {@link publishUnderName}. The staged name stays: it says that the publisher, in whose directory it is, isn't done with the object yet.
 *
 * @param syncFile where the file's bytes aren't synced yet: does it, while the directories are synced
 * @throws Error when something stands at the target, when a link or a file stands where a directory belongs, or when
 * the staged file is gone; the operating system's errors otherwise
 */
export const publishFile = (
  root: string,
  staged: string,
  target: string,
  syncFile?: () => Promise<unknown>,
): Promise<void> => giveName(root, staged, target, linkDurably, syncFile);

/**
 * The same with a synced file in place of the file that stands at the target, if one does: at every moment, a power cut's included, one of the
 * two is there. By rename(2) of a further name, so that the staged one stays here too.
 *
 * @throws as {@link publishFile} does, but for a file or a link at the target
 */
export const replaceFile = (root: string, staged: string, target: string): Promise<void> =>
  giveName(root, staged, target, renameDurably);

/** Gives the staged file its name, and calls `sync` to make that survive a power cut. */
type Naming = (staged: string, target: string, sync: () => Promise<unknown>) => Promise<void>;

async function giveName(
  root: string,
  staged: string,
  target: string,
  naming: Naming,
  syncFile?: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptNaming(root, staged, target, naming, syncFile);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (!(await unless(['ENOENT'], lstat(staged), null))) {
        throw new Error('The staged bytes are gone: they were swept before they were published.', { cause: error });
      }
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptNaming(
  root: string,
  staged: string,
  target: string,
  naming: Naming,
  syncFile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const item = dirname(target);
  const workspace = dirname(item);
  requireNoLink(workspace);
  await ensureItem(workspace, item);
  // At once: the kernel has just made it.
  const directory = openSync(item, DIRECTORY);
  try {
    // All of them, also those that were there before: the call which made one may not have synced it yet.
    const sync = () => all([syncFile(), syncDescriptor(directory), syncShared(workspace), syncName(root, workspace)]);
    await naming(staged, target, sync);
  } finally {
    closeSync(directory);
  }
}

const linkDurably: Naming = async (staged, target, sync) => {
  await publishUnderName(staged, target);
  try {
    await sync();
  } catch (error) {
    // Not durable means not published. The caller needs this error rather than one of tidying up.
    await Promise.allSettled([unlink(target)]);
    throw error;
  }
};

const renameDurably: Naming = async (staged, target, sync) => {
  const further = join(dirname(staged), randomUUID());
  await linkOrCopy(staged, further);
  try {
    await rename(further, target);
  } catch (error) {
    await Promise.allSettled([unlink(further)]);
    throw error;
  }
  await sync();
};

/** Waits for all of them even if one fails, as they use descriptors that are closed afterwards. */
async function all(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}

/** Refuses a link planted in place of the directory. On this thread, since the kernel has the entry at hand. */
function requireNoLink(directory: string): void {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new Error(`${directory} must be a directory.`);
}

/** Makes the item's directory, and the workspace's with its first item. */
async function ensureItem(workspace: string, item: string): Promise<void> {
  const made = await succeeds(ensureDirectory(item), ['ENOENT']);
  if (made) return;
  await ensureDirectory(workspace);
  await ensureDirectory(item);
}
