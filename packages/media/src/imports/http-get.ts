import { isIP } from 'node:net';
import { Connection, type ConnectionOptions } from './connection.ts';
import { connectionFailed } from './failures.ts';
import { isReusable, type KeptConnections } from './kept-connections.ts';
import { parseResponse } from './parsed-response.ts';
import { type PlainHead, readPlainHead } from './plain-head.ts';
import type { RemoteUrl } from './remote-url.ts';
import type { HttpResponse } from './response.ts';

/**
 * Most bytes of a response's head, and of the trailer of a chunked body. Node's own default; NODE_OPTIONS can't raise
 * it.
 */
const MAX_HEAD_BYTES = 16 * 1024;

/** For whom connections are kept, and where. */
export interface KeepAlive {
  readonly owner: string;
  readonly connections: KeptConnections;
}

export interface HttpGetOptions extends ConnectionOptions {
  /** null: the connection is closed after the response. */
  readonly keepAlive: KeepAlive | null;
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
export async function httpGet(remote: RemoteUrl, options: HttpGetOptions): Promise<HttpResponse> {
  const { signal, keepAlive, addresses } = options;
  signal.throwIfAborted();
  const kept = keepAlive?.connections.take(keepAlive.owner, remote, addresses);
  if (kept) {
    const answered = new Exchange(kept, remote, options);
    try {
      return await answered.response();
    } catch (cause) {
      signal.throwIfAborted();
      // Without a byte of a response, the server has most likely closed it as idle; a GET may be repeated (RFC 9110
      // section 9.2.2).
      if (answered.hasBegun) throw connectionFailed(remote.name, cause);
    }
  }
  try {
    return await new Exchange(new Connection(remote, options), remote, options).response();
  } catch (cause) {
    throw connectionFailed(remote.name, cause);
  }
}

/** Contains only visible ASCII, as the URL standard encodes hosts, paths and queries: nothing in them ends a line. */
const requestOf = ({ url, host }: RemoteUrl, isLast: boolean): string => {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.port === '' ? bracketed : `${bracketed}:${url.port}`}`,
    'Accept: */*',
    'Accept-Encoding: identity',
    'User-Agent: Postshelf/1.0',
    `Connection: ${isLast ? 'close' : 'keep-alive'}`,
    '\r\n',
  ].join('\r\n');
};

/** One request over a connection, and its response. */
class Exchange {
  /** Whether any byte of the response has arrived. */
  hasBegun = false;
  readonly #close = (): void => this.connection.close();

  constructor(
    private readonly connection: Connection,
    private readonly remote: RemoteUrl,
    private readonly options: HttpGetOptions,
  ) {}

  /** Throws what the connection or the parser throws, and closes the connection then. */
  async response(): Promise<HttpResponse> {
    const { connection, remote, options } = this;
    options.signal.addEventListener('abort', this.#close, { once: true });
    try {
      await connection.opened();
      connection.write(requestOf(remote, options.keepAlive === null));
      return await this.#read();
    } catch (cause) {
      this.#close();
      options.signal.removeEventListener('abort', this.#close);
      throw cause;
    }
  }

  /**
   * A simple head that comes in one piece is parsed here, at a third of the cost. Any other response goes to the
   * platform's parser as it arrives, which fails at the first invalid byte.
   */
  async #read(): Promise<HttpResponse> {
    const { connection, options } = this;
    const begun = (await connection.read()) ?? Buffer.alloc(0);
    this.hasBegun = begun.length > 0;
    const head = readPlainHead(begun);
    const isPlain = head !== null && head.size <= MAX_HEAD_BYTES;
    connection.unread(begun.subarray(isPlain ? head.size : 0));
    if (!isPlain) return parseResponse(connection, { maxHeaderSize: MAX_HEAD_BYTES, onGarbage: options.onGarbage });
    const { status, headers } = head;
    return { status, headers, body: this.#body(head), close: this.#close };
  }

  /** A body of a known length; bytes after its end don't belong to it. */
  async *#body({ length, headers }: PlainHead): AsyncGenerator<Uint8Array, undefined> {
    const { connection, remote, options } = this;
    let surplus = 0;
    for (let left = length; left > 0; ) {
      const chunk = await connection.read();
      if (chunk === null) throw new Error('The connection ended before the body did.');
      const part = chunk.subarray(0, left);
      left -= part.length;
      surplus = chunk.length - part.length;
      yield part;
    }
    connection.release();
    if (surplus > 0 || !options.keepAlive || !isReusable(headers)) return;
    options.signal.removeEventListener('abort', this.#close);
    options.keepAlive.connections.keep(options.keepAlive.owner, remote, connection);
  }
}
