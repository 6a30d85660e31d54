import type { StoredObject } from '@postshelf/domain';

/**
 * The object in a file. The body is a `Blob` of the path, which Bun opens when reading begins, closes when it ends, and
 * hands to sendfile(2) in a response. So an object that is opened and never read holds no file descriptor, and one that is
 * being read stays whole while it is removed; reading that begins after the removal fails with ENOENT.
 *
 * @param size bytes
 */
export function objectIn(path: string, size: number): StoredObject {
  const file = Bun.file(path, { type: 'application/octet-stream' });
  return { size, body: (range) => (range ? file.slice(range.start, range.end + 1, file.type) : file) };
}
