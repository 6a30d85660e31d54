import type { Body } from '@postshelf/domain';

/** Bytes of a file that is held whole, as of a small request. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/**
 * Reads the first `length` bytes of a body, and gives the whole body again. `whole` must be read to its end or returned.
 * Buffers at most `length` bytes and one chunk.
 */
export async function peek(
  body: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncIterableIterator<Uint8Array> }> {
  const source = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  while (size < length) {
    const next = await source.next();
    if (next.done) break;
    size += next.value.length;
    held.push(size < length ? copyOf(next.value) : next.value);
  }
  return { head: concat(held, Math.min(size, length)), whole: resume(held, source) };
}

/**
 * Reads a body of at most {@link MAX_WHOLE_BYTES} into memory, so that it is stored in one call; a longer one is given as a
 * stream again. What is given must be read to its end or returned.
 */
export async function gather(body: AsyncIterable<Uint8Array>): Promise<Body> {
  const source = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  for (let size = 0; size <= MAX_WHOLE_BYTES; ) {
    const next = await source.next();
    if (next.done) return concat(held, size);
    held.push(copyOf(next.value));
    size += next.value.length;
  }
  return resume(held, source);
}

/** A chunk is good until the next one is asked for. Not by `slice`, which gives a view of a Buffer. */
const copyOf = (chunk: Uint8Array): Uint8Array => new Uint8Array(chunk);

/**
 * A body with what was read of it in front again. Not a generator: returning one that wasn't started would not close the
 * source.
 */
const resume = (held: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> => ({
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

/** The first `length` bytes of the chunks. */
function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, length - at);
    all.set(part, at);
    at += part.length;
  }
  return all;
}
