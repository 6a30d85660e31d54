import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isObjectKey, type ListedObject, parseUuid } from '@postshelf/domain';
import { entries, removeIfEmpty } from '../disk/directories.ts';
import { GONE, unless } from '../disk/failures.ts';

/**
 * Every object below the root. Foreign entries (`lost+found`, links, stray files) are ignored. Memory: the names of one
 * directory, as Bun reads a directory whole: some 0.3 KB for each item of the largest workspace.
 *
 * A file with a single name is settled: its publisher removed the staged name, or died and was swept. (A file that
 * somebody linked elsewhere, as a copy, never counts as settled, which does no harm.)
 *
 * An empty folder of an item is removed on the way: a publisher or a removal was killed halfway.
 */
export async function* listObjects(root: string): AsyncGenerator<ListedObject> {
  for await (const found of scanItems(root)) {
    if ('key' in found) yield found;
    else await removeIfEmpty(found.emptyFolder);
  }
}

/** The same where nothing may be changed. */
export async function* listObjectsReadOnly(root: string): AsyncGenerator<ListedObject> {
  for await (const found of scanItems(root)) if ('key' in found) yield found;
}

async function* scanItems(root: string): AsyncGenerator<ListedObject | { readonly emptyFolder: string }> {
  for await (const workspace of await opendir(root)) {
    if (!isFolder(workspace)) continue;
    for await (const item of entries(join(root, workspace.name), GONE)) {
      if (!isFolder(item)) continue;
      const folder = join(root, workspace.name, item.name);
      let isEmpty = true;
      for await (const file of entries(folder, GONE)) {
        isEmpty = false;
        const key = `${workspace.name}/${item.name}/${file.name}`;
        if (!file.isFile() || !isObjectKey(key)) continue;
        const found = await unless(GONE, lstat(join(root, key)), null);
        if (found?.isFile()) {
          yield { key, size: found.size, modifiedAt: Math.floor(found.mtimeMs), isSettled: found.nlink === 1 };
        }
      }
      if (isEmpty) yield { emptyFolder: folder };
    }
  }
}

/** Whether a directory can be a workspace's or an item's. */
const isFolder = (entry: Dirent): boolean => entry.isDirectory() && parseUuid(entry.name) === entry.name;
