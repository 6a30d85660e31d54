/** Yields the bytes of `before`, and then the body. If the body is empty, yields nothing at all. */
export async function* after(before: Uint8Array | null, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of body) {
    if (chunk.length === 0) continue;
    if (isFirst && before) yield before;
    isFirst = false;
    yield chunk;
  }
}

/** Thrown when a piece of an upload is missing or too short. */
export class MissingPiece extends Error {}
