import { extensionOf, isMediaType, isObjectKey, MEDIA_TYPES, parseUuid, type Uuid } from '@postshelf/domain';
import { nameOfTime, TRASH } from '../../layout/trash-names.ts';

/**
 * Keys in the bucket: objects as the port names them (`{workspace}/{id}/{name}`), and beside them four folders (previews are the fourth: `layout/previews.ts`) that no
 * object's key can lie in, as none begins with a dot.
 */

/** Bytes not published yet: `.staging/{uuid}`. */
export const STAGING = '.staging/';

/** What clients sent straight to the store: `.uploads/{id}`. */
export const UPLOADS = '.uploads/';

/** Objects that were set aside: `.trash/{time}/{key}`. */
export const TRASHED = `${TRASH}/`;

/** The prefix of keys set aside at a time, milliseconds since the epoch. */
export const trashFolder = (at: number): string => `${TRASHED}${nameOfTime(at)}/`;

/** The header with a copy's source (RFC 3986 section 2.1): stores decode it. */
export const copySource = (bucket: string, key: string): string =>
  [bucket, ...key.split('/')].map(encodeURIComponent).join('/');

/** Sorts after everything that begins with a dot, and before every UUID. */
export const BEFORE_OBJECTS = '/';

export const uploadKey = (id: Uuid): string => UPLOADS + id;

/** The id of an {@link uploadKey}; null for another key. */
export const idOfUpload = (key: string): Uuid | null => {
  const id = parseUuid(key.slice(UPLOADS.length));
  return id !== null && uploadKey(id) === key ? id : null;
};

/** @throws Error for an invalid key */
export function requireObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new Error('Not the key of an object: {workspace}/{id}/{name} expected.');
}

/** What the store says an object is when it serves it itself: by the extension, which the bytes called for. */
export function contentTypeOf(key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1);
  const type = Object.keys(MEDIA_TYPES).find((mime) => isMediaType(mime) && extensionOf(mime) === extension);
  return type ?? 'application/octet-stream';
}
