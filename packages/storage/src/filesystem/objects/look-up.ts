import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredObject } from '@postshelf/domain';
import { isDirectory } from '../disk/directories.ts';
import { codeOf, GONE, withFallback } from '../disk/failures.ts';

/**
 * Finds the file of an object; null when there is none. Only a regular file below two real directories is an object:
 * symbolic links, planted or restored from somewhere, are not followed. (The root is private to the service's user, so
 * whoever could swap in a link between check and use could read everything anyway.)
 */
export async function lookUp(path: string): Promise<Stats | null> {
  const file = await withFallback(GONE, lstat(path), null);
  const item = dirname(path);
  return file?.isFile() && isRealDirectory(item) && isRealDirectory(dirname(item)) ? file : null;
}

/**
 * Whether the parent of a file that was just looked up is a directory and not a link. Synchronous: the kernel has it
 * cached, so this costs a tenth of an asynchronous call, for each download.
 */
function isRealDirectory(directory: string): boolean {
  try {
    return lstatSync(directory).isDirectory();
  } catch (error) {
    if (GONE.includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Whether the item's directory and its parent exist and aren't links. */
export async function isItemFolder(item: string): Promise<boolean> {
  const found = await Promise.all([isDirectory(dirname(item)), isDirectory(item)]);
  return found.every(Boolean);
}

/**
 * Makes an object of a file. The body is a `Blob` of the path, which Bun opens when reading begins, closes when it
 * ends, and passes to sendfile(2) in a response. So an object that is never read holds no file descriptor; one that is
 * removed while it is read can be read to its end; and reading that begins after the removal fails with ENOENT.
 *
 * @param size bytes
 */
export function storedFile(path: string, size: number): StoredObject {
  const file = Bun.file(path, { type: 'application/octet-stream' });
  return { size, path, body: (range) => (range ? file.slice(range.start, range.end + 1, file.type) : file) };
}
