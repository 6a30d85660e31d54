import { PostshelfError } from '@postshelf/client';

/** Returns the error message for the user: the service's own message, unless another one helps the user more. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PostshelfError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'unreachable') return 'Can’t reach the media library.';
  if (error.code === 'no_token') return 'This page couldn’t get access to the media library.';
  if (error.status === 401) return 'This page’s access to the media library has ended.';
  if (error.status === 403) return 'This page isn’t allowed to do that in the media library.';
  const details = Object.values(error.errors).flat();
  return details.length > 0 ? details.join(' ') : error.message;
}

/** Returns the HTTP status of the service's response; null if there was none. */
export const statusOf = (error: unknown): number | null =>
  error instanceof PostshelfError ? error.status || null : null;

/** Returns the short name of a media type, such as "JPEG" for `image/jpeg`. */
export const nameOfType = (type: string): string =>
  type === 'video/quicktime' ? 'MOV' : type.replace(/^.*\//, '').toUpperCase();
