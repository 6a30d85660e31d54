import { isIP } from 'node:net';
import { Connection, type ConnectionOptions } from './connection.ts';
import { connectionFailed } from './failures.ts';
import { parseResponse } from './parsed-response.ts';
import { readPlainHead } from './plain-head.ts';
import type { RemoteUrl } from './remote-url.ts';
import type { HttpResponse } from './response.ts';

/**
 * Most bytes of a response's head, and of the trailer of a chunked body. Node's own default; NODE_OPTIONS can't raise
 * it.
 */
const MAX_HEAD_BYTES = 16 * 1024;

export interface HttpGetOptions extends ConnectionOptions {
  /** Ends the connection, at any time. */
  readonly signal: AbortSignal;
  /** Called with the length of chunks whose memory only the garbage collector frees. */
  readonly onGarbage: (bytes: number) => void;
}

/**
 * Sends a GET and waits for the head of the response; the body is not read. The request contains nothing that
 * identifies anybody, and nothing is decompressed.
 *
 * @throws RemoteError `failed`
 */
export async function httpGet(
  remote: RemoteUrl,
  { signal, onGarbage, ...options }: HttpGetOptions,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const connection = new Connection(remote, options);
  signal.addEventListener('abort', () => connection.close(), { once: true });
  try {
    await connection.opened();
    connection.write(requestOf(remote));
    return await readResponse(connection, onGarbage);
  } catch (cause) {
    connection.close();
    throw connectionFailed(remote.name, cause);
  }
}

/** Contains only visible ASCII, as the URL standard encodes hosts, paths and queries: nothing in them ends a line. */
const requestOf = ({ url, host }: RemoteUrl): string => {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.port === '' ? bracketed : `${bracketed}:${url.port}`}`,
    'Accept: */*',
    'Accept-Encoding: identity',
    'User-Agent: Postshelf/1.0',
    'Connection: close',
    '\r\n',
  ].join('\r\n');
};

/**
 * A simple head that comes in one piece is parsed here, at a third of the cost. Any other response goes to the
 * platform's parser as it arrives, which fails at the first invalid byte.
 */
async function readResponse(connection: Connection, onGarbage: (bytes: number) => void): Promise<HttpResponse> {
  const begun = (await connection.read()) ?? Buffer.alloc(0);
  const head = readPlainHead(begun);
  const isPlain = head !== null && head.size <= MAX_HEAD_BYTES;
  connection.unread(begun.subarray(isPlain ? head.size : 0));
  if (!isPlain) return parseResponse(connection, { maxHeaderSize: MAX_HEAD_BYTES, onGarbage });
  const { status, headers, length } = head;
  return { status, headers, body: bodyOfLength(length, connection), close: () => connection.close() };
}

/** A body of a known length; bytes after its end don't belong to it. */
async function* bodyOfLength(length: number, connection: Connection): AsyncGenerator<Uint8Array, undefined> {
  for (let left = length; left > 0; ) {
    const chunk = await connection.read();
    if (chunk === null) throw new Error('The connection ended before the body did.');
    const part = chunk.subarray(0, left);
    left -= part.length;
    yield part;
  }
  connection.release();
}
