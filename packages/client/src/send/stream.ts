/**
 * Returns a stream of the parts. They are read only as fast as the stream's consumer, the network, takes them.
 *
 * @param onBytes called with the length of each chunk that was taken from a blob, in bytes
 */
export function streamOf(
  parts: readonly (string | Blob)[],
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const chunks = read(parts, onBytes);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* read(
  parts: readonly (string | Blob)[],
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array, undefined> {
  for (const part of parts) {
    if (typeof part === 'string') {
      yield new TextEncoder().encode(part);
      continue;
    }
    const reader = part.stream().getReader();
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        yield chunk.value;
        onBytes(chunk.value.byteLength);
      }
    } finally {
      await reader.cancel();
    }
  }
}
