/** The prefix of a file's hash in the comment of its extended header. Other programs ignore that comment. */
const PREFIX = 'sha256=';

/** @param sha256 null when the hash isn't known */
export const paxOf = (sha256: string | null) => (sha256 === null ? {} : { pax: { comment: `${PREFIX}${sha256}` } });

/** Returns the hash in an extended header, or null. */
export function hashOf(pax: unknown): string | null {
  if (typeof pax !== 'object' || pax === null || !('comment' in pax)) return null;
  const { comment } = pax;
  return typeof comment === 'string' && comment.startsWith(PREFIX) ? comment.slice(PREFIX.length) : null;
}

/** @throws TypeError for a chunk that isn't bytes */
export async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The stream contains something other than bytes.');
    yield chunk;
  }
}
