/**
 * A file's hash is kept as the comment of its extended header, which other tar programs ignore (POSIX.1-2017, pax, "pax
 * Extended Header").
 */
const PREFIX = 'sha256=';

/** The extended header of a file whose hash is known. */
export const paxOf = (sha256: string | null) => (sha256 === null ? {} : { pax: { comment: `${PREFIX}${sha256}` } });

/** The hash in the extended records of a header; null where there is none. */
export function hashOf(pax: unknown): string | null {
  if (typeof pax !== 'object' || pax === null || !('comment' in pax)) return null;
  const { comment } = pax;
  return typeof comment === 'string' && comment.startsWith(PREFIX) ? comment.slice(PREFIX.length) : null;
}

/** The bytes of a stream of unknown type. Throws for anything else. */
export async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The stream holds something else than bytes.');
    yield chunk;
  }
}
