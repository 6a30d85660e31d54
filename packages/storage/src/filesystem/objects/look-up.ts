import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredObject } from '@postshelf/domain';
import { isDirectory } from '../disk/directories.ts';
import { codeOf, GONE, withFallback } from '../disk/failures.ts';

/**
 * Returns the file of an object, or null. Only a regular file below two real directories is an object: links are not
 * followed.
 */
export async function lookUp(path: string): Promise<Stats | null> {
  const file = await withFallback(GONE, lstat(path), null);
  const item = dirname(path);
  return file?.isFile() && isRealDirectory(item) && isRealDirectory(dirname(item)) ? file : null;
}

/** Synchronous: the kernel has the entry cached, so this costs a tenth of an asynchronous call. */
function isRealDirectory(directory: string): boolean {
  try {
    return lstatSync(directory).isDirectory();
  } catch (error) {
    if (GONE.includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

export async function isItemFolder(item: string): Promise<boolean> {
  const found = await Promise.all([isDirectory(dirname(item)), isDirectory(item)]);
  return found.every(Boolean);
}

/**
 * Returns a file as an object. The body is a `Blob`, which Bun opens when reading starts and passes to sendfile(2) in a
 * response: an object that is never read holds no descriptor, and one removed while it is read can be read to its end.
 *
 * @param size bytes
 */
export function storedFile(path: string, size: number): StoredObject {
  const file = Bun.file(path, { type: 'application/octet-stream' });
  return { size, path, body: (range) => (range ? file.slice(range.start, range.end + 1, file.type) : file) };
}
