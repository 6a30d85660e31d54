import { parseUuid } from '../ids.ts';
import { hasUnsafe } from '../text.ts';

/** Maximum length of a name in bytes; every common file system accepts it (ext4, XFS, APFS, NTFS: 255). */
export const MAX_NAME_BYTES = 255;
/** Maximum length of a key; longer texts are refused without parsing. */
const MAX_LENGTH = 2 * (36 + 1) + MAX_NAME_BYTES;

/**
 * Whether a text is an object key. UUIDs must be in lower case: on a case-insensitive storage another spelling would be
 * a second key of the same object.
 */
export function isObjectKey(key: string): boolean {
  if (key.length > MAX_LENGTH) return false;
  const [workspace, id, name = '', ...more] = key.split('/');
  return isCanonicalUuid(workspace) && isCanonicalUuid(id) && isComponent(name) && more.length === 0;
}

const isCanonicalUuid = (segment: string | undefined): boolean =>
  segment !== undefined && parseUuid(segment) === segment;

function isComponent(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  if (name.includes('\\') || hasUnsafe(name)) return false;
  return new TextEncoder().encode(name).length <= MAX_NAME_BYTES;
}
