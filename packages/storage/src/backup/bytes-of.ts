/** The bytes of a stream whose types leave open what it holds. Throws for anything else. */
export async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The stream holds something else than bytes.');
    yield chunk;
  }
}
