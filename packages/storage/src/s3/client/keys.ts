import { extensionOf, isMediaType, MEDIA_TYPES, parseUuid, type Uuid } from '@postshelf/domain';

/** The bucket contains the keys of objects (`{workspace}/{id}/{name}`), and folders whose names begin with a dot. */

export const STAGING = '.staging/';

export const UPLOADS = '.uploads/';

/** Returns the source of a copy, percent-encoded (RFC 3986 section 2.1). */
export const copySource = (bucket: string, key: string): string =>
  [bucket, ...key.split('/')].map(encodeURIComponent).join('/');

/** Sorts after every key that begins with a dot, and before every UUID. */
export const BEFORE_OBJECTS = '/';

export const uploadKey = (id: Uuid): string => UPLOADS + id;

/** Returns the id of a presigned upload, or of the resumable upload that a piece belongs to; null for any other key. */
export const idOfUpload = (key: string): Uuid | null => {
  const [name = '', ...rest] = key.slice(UPLOADS.length).split('/');
  const id = parseUuid(name);
  return id !== null && key.startsWith(uploadKey(id)) && rest.length < 2 ? id : null;
};

/**
 * Returns the type of the key's extension. The extension was derived from the file's bytes, unless the key was assigned
 * before they arrived.
 */
export function contentTypeOf(key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1);
  const type = Object.keys(MEDIA_TYPES).find((mime) => isMediaType(mime) && extensionOf(mime) === extension);
  return type ?? 'application/octet-stream';
}
