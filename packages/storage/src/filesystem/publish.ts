import { type FileHandle, link, lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDirectory, openDirectory } from './directories.ts';
import { codeOf, unless } from './failures.ts';

/** Each attempt is lost only to another call that removed the emptied directory in between. */
const ATTEMPTS = 16;

/**
 * Moves a synced file to a path three components below the root, whole or not at all, never over another file, and
 * durably: once this resolves, file and name survive a power cut.
 *
 * link(2) and unlink(2), because link fails with EEXIST where rename(2) would silently replace, atomically and also
 * between processes; RENAME_NOREPLACE would do both in one call, but neither Node nor Bun offer it. A crash in between
 * leaves two names of the same file, and the sweep drops the staged one.
 *
 * @throws Error when something stands at the target, when a link or a file stands where a directory belongs, or when
 * the staged file is gone; the operating system's errors otherwise
 */
export async function publishFile(root: string, staged: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptPublish(root, staged, target);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (!(await unless(['ENOENT'], lstat(staged), null))) {
        throw new Error('The staged bytes are gone: they were swept before they were published.', { cause: error });
      }
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptPublish(root: string, staged: string, target: string): Promise<void> {
  const item = dirname(target);
  const workspace = dirname(item);
  const directories: FileHandle[] = [];
  try {
    for (const path of [root, dirname(staged), workspace, item]) {
      if (path === workspace || path === item) await ensureDirectory(path);
      directories.push(await openDirectory(path));
    }
    await link(staged, target);
    try {
      await unless(['ENOENT'], unlink(staged), undefined);
      // All of them, also those that were there before: the call which made one may not have synced it yet.
      await Promise.all(directories.map((directory) => directory.sync()));
    } catch (error) {
      // Not durable means not published. The caller needs this error rather than one of tidying up.
      await Promise.allSettled([unlink(target)]);
      throw error;
    }
  } finally {
    await Promise.all(directories.map((directory) => directory.close()));
  }
}
