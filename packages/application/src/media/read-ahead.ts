import { type Body, MAX_WHOLE_BYTES } from '@postshelf/domain';

/**
 * Reads the first `length` bytes of a body ahead; `whole` is still the whole body, and must be read to its end or
 * returned. Buffers at most `length` bytes and one chunk.
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

/**
 * Reads a body of at most {@link MAX_WHOLE_BYTES} into memory, so that it is stored in one call; a longer one is
 * returned as a stream, which must be read to its end or returned.
 *
 * @param announced the announced length, for which memory is allocated at once; may be wrong; null if there is none
 */
export async function bufferIfSmall(body: AsyncIterable<Uint8Array>, announced: number | null = null): Promise<Body> {
  const source = body[Symbol.asyncIterator]();
  if (announced !== null && announced > MAX_WHOLE_BYTES) return resume([], source);
  const held = new Gathered(announced ?? 0);
  for (;;) {
    const next = await source.next();
    if (next.done) return held.bytes();
    held.add(next.value);
    if (held.size > MAX_WHOLE_BYTES) return resume([held.bytes()], source);
  }
}

/** Collects bytes of several chunks in one buffer. */
class Gathered {
  #memory: Uint8Array;
  #size = 0;

  constructor(room: number) {
    this.#memory = new Uint8Array(room);
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#memory.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#memory.length));
      larger.set(this.bytes());
      this.#memory = larger;
    }
    this.#memory.set(chunk, this.#size);
    this.#size = size;
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#size);
  }
}

/** A chunk is valid only until the next one is requested. `slice` wouldn't do, as it returns a view of a Buffer. */
const copyOf = (chunk: Uint8Array): Uint8Array => new Uint8Array(chunk);

/**
 * A body whose first chunks were read already, from its beginning again. Not a generator: returning one that wasn't
 * started would not close the source.
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
