// The library's pages, the picker and `postshelf import` also use this module, as `@postshelf/client/resumable`. The
// published package doesn't export it.

/** Bytes up to which a file is sent in one request, which is repeated as a whole if it is interrupted. */
const MAX_IN_ONE_REQUEST = 20 * 1024 * 1024;

/** Whether a file is sent by a resumable upload, which continues where it was interrupted. @param size in bytes */
export const isResumable = ({ size }: { readonly size: number }): boolean => size > MAX_IN_ONE_REQUEST;
