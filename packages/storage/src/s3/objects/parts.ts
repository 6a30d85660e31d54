import { LimitExceeded } from '@postshelf/domain';

export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

const FIRST_BUFFER = 64 * 1024;

/**
 * Cuts a body into parts of `size` bytes, the last one shorter or as long; at least one, be it empty. A part is handed
 * out when a byte after it has come, or the body has ended. Two buffers are filled by turns, as a garbage collector that is
 * handed one for each part comes late: the bytes of a part are good until the second one after it is asked for.
 *
 * @throws LimitExceeded at the chunk that passes the limit; whatever the body throws
 */
export async function* splitIntoParts(
  body: AsyncIterable<Uint8Array>,
  size: number,
  limit: number,
): AsyncGenerator<Part> {
  let buffer = new Uint8Array();
  let other = new Uint8Array();
  let filled = 0;
  let total = 0;
  for await (const chunk of body) {
    if (chunk.byteLength > limit - total) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
    total += chunk.byteLength;
    for (let start = 0; start < chunk.byteLength; ) {
      if (filled === size) {
        yield { bytes: buffer.subarray(0, size), isLast: false };
        [buffer, other] = [other, buffer];
        filled = 0;
      }
      const piece = chunk.subarray(start, start + size - filled);
      buffer = grown(buffer, filled + piece.byteLength, size);
      buffer.set(piece, filled);
      filled += piece.byteLength;
      start += piece.byteLength;
    }
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true };
}

/** Grows by doubling, so that a small body takes little. */
function grown(buffer: Uint8Array<ArrayBuffer>, needed: number, size: number): Uint8Array<ArrayBuffer> {
  if (needed <= buffer.byteLength) return buffer;
  const larger = new Uint8Array(Math.min(size, Math.max(needed, 2 * buffer.byteLength, FIRST_BUFFER)));
  larger.set(buffer);
  return larger;
}
