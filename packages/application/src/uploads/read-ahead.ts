/**
 * Reads the first `length` bytes of a body ahead; `whole` is still the whole body, and must be read to its end or
 * returned.
 */
export async function readAhead(
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

/** A chunk is valid only until the next one is requested, and a Buffer's `slice` would be a view of it. */
const copyOf = (chunk: Uint8Array): Uint8Array => new Uint8Array(chunk);

/** Not a generator: returning one that wasn't started would not close the source. */
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
