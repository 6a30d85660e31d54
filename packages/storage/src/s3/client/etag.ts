/** What names a version of the bytes in a condition; every store gives one. */
export function requireEtag(etag: string | undefined): string {
  if (!etag) throw new Error('The store named no etag.');
  return etag;
}
