import { dirname, join, resolve } from 'node:path';
import { isObjectKey, parseUuid, type Uuid } from '@postshelf/domain';

/**
 * Converts a key to a path. Every access to an object's file must go through here.
 *
 * @param root absolute, normalised
 * @param key `{workspace}/{id}/{name}`: two canonical UUIDs and a name of one path component
 * @returns the absolute path, three components below the root
 * @throws Error for any other key
 */
export function confine(root: string, key: string): string {
  if (!isObjectKey(key)) throw new Error('Not the key of an object: {workspace}/{id}/{name} expected.');
  const path = join(root, key);
  // Unreachable after the check above; a second barrier in case that check is ever loosened.
  if (path !== resolve(path) || dirname(dirname(dirname(path))) !== root) {
    throw new Error('The object key points outside the storage root.');
  }
  return path;
}

/** Matches a key or prefix in a folder next to the objects: `.previews/…`, `.trash/{time}/…`. */
const BESIDE = /^(\.[a-z]+(?:\/\d+)?)\/(.*)$/s;

/**
 * Splits a key or prefix into the folder that it begins with, if that is one of the folders next to the objects, and
 * the rest.
 *
 * @returns `name`: the folder's name, empty for objects; `path`: the folder's path, or the root for objects; `outer`:
 *   the paths of the folder and its parents below the root, the outermost first, empty for objects; all of them must be
 *   real directories
 */
export function splitFolder(root: string, key: string) {
  const [, name = '', rest = key] = BESIDE.exec(key) ?? [];
  const names = name === '' ? [] : name.split('/');
  const outer = names.map((_, index) => join(root, ...names.slice(0, index + 1)));
  return { name, path: outer.at(-1) ?? root, outer, rest };
}

/** The folder of uploads. No workspace has this name, so no object's key can point into it. */
export const UPLOADS = '.uploads';

/**
 * Returns the directory of an upload's files, two components below the root. Every access must go through here.
 *
 * @param root absolute, normalised
 * @throws Error for anything but a canonical UUID
 */
export function confineUpload(root: string, id: Uuid): string {
  if (parseUuid(id) !== id) throw new Error('Not the id of an upload: a UUID expected.');
  return join(root, UPLOADS, id);
}
