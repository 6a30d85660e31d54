import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredObject } from '@postshelf/domain';
import { isDirectory } from '../disk/directories.ts';
import { codeOf, GONE, unless } from '../disk/failures.ts';

/**
 * The object's file; null when there is none. Only a regular file below two genuine directories is an object: a
 * symbolic link, planted or restored from somewhere, is not followed. (The root is private to the service's user, so
 * nobody who could swap one in between check and use gains anything that he couldn't read already.)
 */
export async function lookUp(path: string): Promise<Stats | null> {
  const file = await unless(GONE, lstat(path), null);
  const item = dirname(path);
  return file?.isFile() && isGenuine(item) && isGenuine(dirname(item)) ? file : null;
}

/**
 * Whether a directory, through which a file was just looked up, is no link. Synchronous: the kernel has it cached, and
 * this costs a tenth of asking on another thread, for each download.
 */
function isGenuine(directory: string): boolean {
  try {
    return lstatSync(directory).isDirectory();
  } catch (error) {
    if (GONE.includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Whether the item's directory and its parent exist, and are no links. */
export async function isItemFolder(item: string): Promise<boolean> {
  const found = await Promise.all([isDirectory(dirname(item)), isDirectory(item)]);
  return found.every(Boolean);
}

/**
 * The object in a file. The body is a `Blob` of the path, which Bun opens when reading begins, closes when it ends, and
 * hands to sendfile(2) in a response. So an object that is opened and never read holds no file descriptor, and one that is
 * being read stays whole while it is removed; reading that begins after the removal fails with ENOENT.
 *
 * @param size bytes
 */
export function storedFile(path: string, size: number): StoredObject {
  const file = Bun.file(path, { type: 'application/octet-stream' });
  return { size, path, body: (range) => (range ? file.slice(range.start, range.end + 1, file.type) : file) };
}
