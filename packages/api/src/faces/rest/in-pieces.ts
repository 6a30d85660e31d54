/** Bytes that are handed to the reader at a time. */
const PIECE = 64 * 1024;

/**
 * The same body in pieces, each passed on when the reader has taken the previous one.
 *
 * @param onEnd called however it ends
 */
export function inPieces(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();
  return new ReadableStream({
    async pull(controller) {
      try {
        while (rest.length === 0) {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return onEnd();
          }
          rest = value;
        }
      } catch (error) {
        onEnd();
        throw error;
      }
      // A copy, as the reader takes over the memory of what it is given.
      controller.enqueue(rest.slice(0, PIECE));
      rest = rest.subarray(PIECE);
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
