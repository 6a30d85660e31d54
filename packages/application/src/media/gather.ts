import type { Body } from '@postshelf/domain';

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
    if (next.done) return joined(held, size);
    // A chunk is good until the next one is asked for. Not `slice`, which of a Buffer gives a view.
    held.push(new Uint8Array(next.value));
    size += next.value.length;
  }
  return inFront(held, source);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Not a generator: returning one that wasn't started would not close the source. */
const inFront = (held: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> => ({
  async next() {
    const value = held.shift();
    return value ? { done: false, value } : source.next();
  },
  async return() {
    held.length = 0;
    await source.return?.();
    return { done: true, value: undefined };
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});
