import { extensionOf, isMediaType, isObjectKey, MEDIA_TYPES, parseUuid, type Uuid } from '@postshelf/domain';
import { nameOfTime, TRASH } from '../../layout/trash-names.ts';

/** Keys in the bucket: objects (`{workspace}/{id}/{name}`), and folders that begin with a dot. */

export const STAGING = '.staging/';

export const UPLOADS = '.uploads/';

export const TRASHED = `${TRASH}/`;

/** Objects that were moved to the trash at a time, in milliseconds since the epoch. */
export const trashFolder = (at: number): string => `${TRASHED}${nameOfTime(at)}/`;

/**
 * Objects that readers of a public bucket don't find. In the trash's folder, as policies that name folders do without
 * another one; older programs take it for no time in the trash.
 */
export const HIDDEN = `${TRASHED}hidden/`;

/** Percent-encoded (RFC 3986 section 2.1). */
export const copySource = (bucket: string, key: string): string =>
  [bucket, ...key.split('/')].map(encodeURIComponent).join('/');

/** After every key that begins with a dot, and before every UUID. */
export const BEFORE_OBJECTS = '/';

export const uploadKey = (id: Uuid): string => UPLOADS + id;

/** Of a presigned upload, or of a piece of a resumable one; null for another key. */
export const idOfUpload = (key: string): Uuid | null => {
  const [name = '', ...rest] = key.slice(UPLOADS.length).split('/');
  const id = parseUuid(name);
  return id !== null && key.startsWith(uploadKey(id)) && rest.length < 2 ? id : null;
};

/** @throws Error for an invalid key */
export function requireObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new Error('Not the key of an object: {workspace}/{id}/{name} expected.');
}

/** By the key's extension, which the file's bytes chose, unless the key was given out before they came. */
export function contentTypeOf(key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1);
  const type = Object.keys(MEDIA_TYPES).find((mime) => isMediaType(mime) && extensionOf(mime) === extension);
  return type ?? 'application/octet-stream';
}
