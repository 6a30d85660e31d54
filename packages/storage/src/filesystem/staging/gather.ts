/** Maximum size of a body that is gathered in memory: 1 MB. */
export const MAX_GATHERED_BYTES = 1024 * 1024;

/** The stream of a body that was too long to be gathered in memory. */
export interface RestOfBody extends AsyncIterableIterator<Uint8Array> {
  return(): Promise<IteratorReturnResult<undefined>>;
}

/**
 * Reads a body of at most `max` bytes into memory. A longer body is returned as a stream, whose consumer must read it
 * to its end or call `return`. Chunks are valid only until the next one is requested.
 */
export async function gather(
  body: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array<ArrayBuffer> | RestOfBody> {
  const source = body[Symbol.asyncIterator]();
  let held = new Uint8Array(0);
  let size = 0;
  while (size <= max) {
    const next = await source.next();
    if (next.done) return held.subarray(0, size);
    const end = size + next.value.length;
    if (end > held.length) {
      const larger = new Uint8Array(Math.max(end, Math.min(2 * held.length, max)));
      larger.set(held.subarray(0, size));
      held.buffer.transfer(0);
      held = larger;
    }
    held.set(next.value, size);
    size = end;
  }
  return resume(held.subarray(0, size), source);
}

/**
 * Yields the held bytes, which are freed when the next ones are requested, and then the rest. This isn't a generator,
 * because calling `return` on a generator that wasn't started would not end the source.
 */
function resume(held: Uint8Array<ArrayBuffer>, source: AsyncIterator<Uint8Array>): RestOfBody {
  let isFirst = true;
  return {
    async next() {
      if (!isFirst) {
        if (held.length > 0) held.buffer.transfer(0);
        return source.next();
      }
      isFirst = false;
      return { done: false, value: held };
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
