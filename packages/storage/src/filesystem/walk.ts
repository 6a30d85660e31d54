import type { Dirent } from 'node:fs';
import { lstat, opendir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedObject } from '@postshelf/domain';
import { isFolderName, isObjectKey } from './confine.ts';
import { codeOf, succeeds, unless } from './failures.ts';

/** Of a path below a directory that was there a moment ago. */
const GONE = ['ENOENT', 'ENOTDIR'];

/**
 * Every object below the root. What isn't ours (`lost+found`, links, stray files) is passed by. Memory: the names of
 * one directory, as Bun reads a directory whole: some 0.3 KB for each item of the largest workspace.
 */
export async function* walk(root: string): AsyncGenerator<ListedObject> {
  for await (const workspace of await opendir(root)) {
    if (!isFolder(workspace)) continue;
    for await (const item of entries(join(root, workspace.name))) {
      if (!isFolder(item)) continue;
      for await (const file of entries(join(root, workspace.name, item.name))) {
        const key = `${workspace.name}/${item.name}/${file.name}`;
        if (!file.isFile() || !isObjectKey(key)) continue;
        const found = await unless(GONE, lstat(join(root, key)), null);
        if (found?.isFile()) yield { key, modifiedAt: Math.floor(found.mtimeMs) };
      }
    }
  }
}

/**
 * Removes the directory's files last written to before the time.
 * @param before milliseconds since the epoch
 * @returns how many this call removed
 */
export async function sweep(directory: string, before: number): Promise<number> {
  let removed = 0;
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    const found = await unless(['ENOENT'], lstat(path), null);
    if (!found?.isFile() || found.mtimeMs >= before) continue;
    if (await succeeds(unlink(path), ['ENOENT'])) removed += 1;
  }
  return removed;
}

const isFolder = (entry: Dirent): boolean => entry.isDirectory() && isFolderName(entry.name);

/** A directory that goes meanwhile has no entries. */
async function* entries(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!GONE.includes(codeOf(error) ?? '')) throw error;
  }
}
