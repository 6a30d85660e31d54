import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredObject } from '@postshelf/domain';
import { confine } from '../disk/confine.ts';
import { isDirectory } from '../disk/directories.ts';
import { codeOf, GONE, translateErrors, UNUSABLE_NAME, withFallback } from '../disk/failures.ts';

/**
 * Returns the file of an object, or null. Only a regular file below two real directories is an object: links are not
 * followed.
 *
 * @param outer further directories around those two
 */
export async function findFile(path: string, outer: readonly string[] = []): Promise<Stats | null> {
  const file = await withFallback([...GONE, ...UNUSABLE_NAME], lstat(path), null);
  const item = dirname(path);
  const isObject = file?.isFile() && isRealDirectory(item) && isRealDirectory(dirname(item));
  return isObject && outer.every(isRealDirectory) ? file : null;
}

/**
 * Whether this is a directory and not a link. The call is synchronous because the kernel has the entry cached: an
 * asynchronous call would cost ten times as much.
 */
export function isRealDirectory(directory: string): boolean {
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

/** Opens an object; null if there is none. @throws Error if the key is malformed; Refusal `unavailable` */
export async function openObject(root: string, key: string): Promise<StoredObject | null> {
  const path = confine(root, key);
  const found = await translateErrors(() => findFile(path));
  return found && storedFile(path, found.size);
}

/**
 * Returns a file as an object. The body is a `Blob`, which Bun opens when reading starts and passes to sendfile(2) in a
 * response. An object that is never read holds no descriptor, and one that is removed while it is being read can be
 * read to its end.
 *
 * @param size bytes
 */
export function storedFile(path: string, size: number): StoredObject {
  const file = Bun.file(path, { type: 'application/octet-stream' });
  return { size, path, body: (range) => (range ? file.slice(range.start, range.end + 1, file.type) : file) };
}
