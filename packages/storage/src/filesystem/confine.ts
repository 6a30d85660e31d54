import { dirname, join, resolve } from 'node:path';
import { isObjectKey } from '@postshelf/domain';

/**
 * The one way from a key to a path: every file of an object is reached through here.
 *
 * @param root absolute, normalised
 * @param key `{workspace}/{id}/{name}`: two canonical UUIDs and a name of one path component
 * @returns the absolute path, exactly three components below the root
 * @throws Error for any other key; nothing was touched
 */
export function confine(root: string, key: string): string {
  if (!isObjectKey(key)) throw new Error('Not the key of an object: {workspace}/{id}/{name} expected.');
  const path = join(root, key);
  // Can't be, after the check above. Should that ever be loosened, this still holds.
  if (path !== resolve(path) || dirname(dirname(dirname(path))) !== root) {
    throw new Error('The key of an object leads out of the storage root.');
  }
  return path;
}
