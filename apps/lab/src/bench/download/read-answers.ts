const HEAD_END = '\r\n\r\n';

/** Sends requests on one connection, one after the other. */
export interface Reader {
  /**
   * Reads the answer to its end and returns the length of its body.
   *
   * @throws Error unless the answer is `200` and complete
   */
  read(path: string): Promise<number>;
  close(): void;
}

/**
 * Opens a connection, and only counts the bytes of the bodies that arrive on it. A complete HTTP client would be slower
 * than the servers that the benchmark measures.
 */
export async function openReader(host: string, port: number): Promise<Reader> {
  let waiting: ReturnType<typeof Promise.withResolvers<number>> | null = null;
  let head = '';
  /** The length of the body, and the bytes received so far; null until the head has been read. */
  let body: { readonly length: number; read: number } | null = null;

  const fail = (why: string): void => waiting?.reject(new Error(why));
  const take = (chunk: Uint8Array): void => {
    if (body) body.read += chunk.length;
    else body = begin(chunk);
    if (body === null || body.read < body.length) return;
    const { length, read } = body;
    body = null;
    if (read > length) fail('More came than was announced');
    else waiting?.resolve(length);
  };
  const begin = (chunk: Uint8Array) => {
    head += Buffer.from(chunk).toString('latin1');
    const end = head.indexOf(HEAD_END);
    if (end === -1) return null;
    const length = /^content-length: (\d+)\r$/im.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) fail(head.slice(0, end));
    const read = head.length - end - HEAD_END.length;
    head = '';
    return { length: Number(length), read };
  };
  const socket = await Bun.connect({
    hostname: host,
    port,
    socket: {
      data: (_, chunk) => take(chunk),
      close: () => fail('The connection was closed'),
      error: (_, error) => fail(error.message),
    },
  });
  return {
    read(path) {
      waiting = Promise.withResolvers();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
      return waiting.promise;
    },
    close: () => void socket.end(),
  };
}
