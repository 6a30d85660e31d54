import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, openSync } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UnusableName } from '@postshelf/domain';
import { DIRECTORY, ensureDirectory, isDirectory, removeIfEmpty } from '../disk/directories.ts';
import { syncDescriptor, syncName, syncShared } from '../disk/directory-syncs.ts';
import { codeOf, succeeds, UNUSABLE_NAME, withFallback } from '../disk/failures.ts';
import { linkOrCopy, publishUnderName, renameFile } from '../disk/hard-links.ts';

/** Number of attempts. An attempt fails if another call removes the directory while it is still empty. */
const ATTEMPTS = 16;

/**
 * Publishes a staged file under a second name, atomically and without ever replacing a file. The name is durable once
 * this resolves. The staged name remains, which shows that the publisher isn't done yet.
 *
 * @param syncFile syncs the file's bytes, concurrently with the directories
 * @returns false when the target exists
 * @throws UnusableName; Error when a link or a file is in the place of a directory, or when the staged file no longer
 *   exists; otherwise the operating system's errors
 */
export const publishFile = (
  root: string,
  staged: string,
  target: string,
  syncFile?: () => Promise<unknown>,
): Promise<boolean> => giveName(root, staged, target, linkDurably, syncFile);

/**
 * Like {@link publishFile}, but atomically replaces an existing target. The staged file must be synced. It gets a third
 * name, which is then renamed to the target.
 *
 * @returns always true, because an existing file or link at the target is replaced
 * @throws the errors of {@link publishFile}
 */
export const replaceFile = (root: string, staged: string, target: string): Promise<boolean> =>
  giveName(root, staged, target, renameDurably);

/**
 * Gives a staged file the name `target` and calls `sync` to make that durable. Returns false if the name was taken and
 * isn't replaced.
 */
type Naming = (staged: string, target: string, sync: () => Promise<unknown>) => Promise<boolean>;

async function giveName(
  root: string,
  staged: string,
  target: string,
  naming: Naming,
  syncFile?: () => Promise<unknown>,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptNaming(root, staged, target, naming, syncFile);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (!(await withFallback(['ENOENT'], lstat(staged), null))) {
        throw new Error('The staged bytes no longer exist: they were removed before they were published.', {
          cause: error,
        });
      }
      // Some file systems report a name that they can't have like a missing folder (exFAT in user space).
      if (attempt === ATTEMPTS) throw (await isDirectory(dirname(target))) ? await unusable(target, error) : error;
    }
  }
}

/** Waits for a call that gives a file its name. @throws UnusableName if the file system can't have that name */
async function orUnusable<T>(target: string, naming: Promise<T>): Promise<T> {
  try {
    return await naming;
  } catch (error) {
    throw UNUSABLE_NAME.includes(codeOf(error) ?? '') ? await unusable(target, error) : error;
  }
}

/** Removes the item's folder if it is empty, and returns the error to throw. */
async function unusable(target: string, cause: unknown): Promise<UnusableName> {
  await Promise.allSettled([removeIfEmpty(dirname(target))]);
  return new UnusableName(basename(target), { cause });
}

async function attemptNaming(
  root: string,
  staged: string,
  target: string,
  naming: Naming,
  syncFile: () => Promise<unknown> = async () => undefined,
): Promise<boolean> {
  const item = dirname(target);
  const workspace = dirname(item);
  requireNoLink(workspace);
  await ensureItem(workspace, item);
  // This call is synchronous because the directory was just used, so the kernel has it cached.
  const directory = openSync(item, DIRECTORY);
  try {
    // The call that created an existing directory may not have synced it yet.
    const sync = () => all([syncFile(), syncDescriptor(directory), syncShared(workspace), syncName(root, workspace)]);
    return await naming(staged, target, sync);
  } finally {
    closeSync(directory);
  }
}

const linkDurably: Naming = async (staged, target, sync) => {
  if (!(await orUnusable(target, succeeds(publishUnderName(staged, target), ['EEXIST'])))) return false;
  try {
    await sync();
    return true;
  } catch (error) {
    // A name that isn't durable must not remain. The caller gets this error rather than an error of the cleanup.
    await Promise.allSettled([unlink(target)]);
    throw error;
  }
};

const renameDurably: Naming = async (staged, target, sync) => {
  const further = join(dirname(staged), randomUUID());
  await linkOrCopy(staged, further);
  try {
    await orUnusable(target, renameFile(further, target));
  } catch (error) {
    await Promise.allSettled([unlink(further)]);
    throw error;
  }
  await sync();
  return true;
};

/** Waits for all promises even if one rejects, because they use a descriptor that the caller closes. */
async function all(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}

/** Throws if something other than a directory, such as a planted link, exists at the path. */
function requireNoLink(directory: string): void {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new Error(`${directory} must be a directory.`);
}

/** Creates the item's directory, and the workspace's for its first item. */
async function ensureItem(workspace: string, item: string): Promise<void> {
  const made = await succeeds(ensureDirectory(item), ['ENOENT']);
  if (made) return;
  await ensureDirectory(workspace);
  await ensureDirectory(item);
}
