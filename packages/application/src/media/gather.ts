import type { Body } from '@postshelf/domain';
import { concat, resume } from './peek.ts';

/** Bytes of a file that is held whole, as of a small request. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/**
 * A body that has no more than {@link MAX_WHOLE_BYTES} as bytes at hand, which are stored in one call; any other as it comes,
 * with what was held of it in front. What is given must be read to its end or returned.
 */
export async function gather(body: AsyncIterable<Uint8Array>): Promise<Body> {
  const source = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  for (let size = 0; size <= MAX_WHOLE_BYTES; ) {
    const next = await source.next();
    if (next.done) return concat(held, size);
    // A chunk is good until the next one is asked for. Not `slice`, which of a Buffer gives a view.
    held.push(new Uint8Array(next.value));
    size += next.value.length;
  }
  return resume(held, source);
}
