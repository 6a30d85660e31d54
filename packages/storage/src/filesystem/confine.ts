import { dirname, join, resolve } from 'node:path';
import { hasUnsafe, parseUuid } from '@postshelf/domain';

/** Bytes of one path component that ext4, XFS, Btrfs and APFS take. */
const MAX_NAME_BYTES = 255;

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

/**
 * Whether the text is a key that {@link confine} takes. UUIDs count in their canonical spelling only: on a file system
 * that ignores case another spelling would be a second key of the same object.
 */
export function isObjectKey(key: string): boolean {
  const [workspace, id, name, ...more] = key.split('/');
  return isFolderName(workspace) && isFolderName(id) && isFileName(name) && more.length === 0;
}

/** Whether a directory below the root can be a workspace's or an item's. */
export const isFolderName = (segment: string | undefined): boolean =>
  segment !== undefined && parseUuid(segment) === segment;

function isFileName(segment: string | undefined): boolean {
  if (segment === undefined || segment === '' || segment === '.' || segment === '..') return false;
  if (segment.includes('\\') || hasUnsafe(segment)) return false;
  return Buffer.byteLength(segment) <= MAX_NAME_BYTES;
}
