import { extensionOf, isMediaType, MEDIA_TYPES, parseUuid, type Uuid } from '@postshelf/domain';
import { nameOfTime, TRASH } from '../../layout/trash-names.ts';

/** The bucket's keys are those of objects (`{workspace}/{id}/{name}`), and folders that begin with a dot. */

export const STAGING = '.staging/';

export const UPLOADS = '.uploads/';

export const TRASHED = `${TRASH}/`;

/** The folder of objects that were moved to the trash at a time, in milliseconds since the epoch. */
export const trashFolder = (at: number): string => `${TRASHED}${nameOfTime(at)}/`;

/**
 * The folder of objects that readers of a public bucket must not find. It is inside the trash's folder, so that bucket
 * policies that name folders already cover it. Older releases ignore it, as its name isn't a time.
 */
export const HIDDEN = `${TRASHED}hidden/`;

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
 * Returns the type of the key's extension. That comes from the file's bytes, unless the key was assigned before they
 * arrived.
 */
export function contentTypeOf(key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1);
  const type = Object.keys(MEDIA_TYPES).find((mime) => isMediaType(mime) && extensionOf(mime) === extension);
  return type ?? 'application/octet-stream';
}
