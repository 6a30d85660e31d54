/**
 * Returns a stream of the parts, which are read as the network takes them.
 *
 * @param onBytes called with the number of bytes of a blob that the network has taken
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
