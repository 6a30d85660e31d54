import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDirectory } from './directories.ts';
import { GONE, unless } from './failures.ts';

/**
 * The object's file; null when there is none. Only a regular file below two genuine directories is an object: a
 * symbolic link, planted or restored from somewhere, is not followed. (The root is private to the service's user, so
 * nobody who could swap one in between check and use gains anything that he couldn't read already.)
 */
export async function lookUp(path: string): Promise<Stats | null> {
  const [genuine, file] = await Promise.all([isItemFolder(dirname(path)), unless(GONE, lstat(path), null)]);
  return genuine && file?.isFile() ? file : null;
}

/** Whether the item's directory and the one that it is in are there, and are directories themselves. */
export async function isItemFolder(item: string): Promise<boolean> {
  const found = await Promise.all([isDirectory(dirname(item)), isDirectory(item)]);
  return found.every(Boolean);
}
