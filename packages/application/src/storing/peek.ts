/**
 * The first bytes of a body, up to `length`, and the whole of it again. `whole` must be read to its end or returned;
 * no more than `length` bytes and one chunk are held.
 */
export async function peek(
  body: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncGenerator<Uint8Array> }> {
  const source = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  while (size < length) {
    const next = await source.next();
    if (next.done) break;
    held.push(next.value);
    size += next.value.length;
  }
  return { head: concat(held, Math.min(size, length)), whole: resume(held, source) };
}

async function* resume(held: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = held.shift(); chunk; chunk = held.shift()) yield chunk;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

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
