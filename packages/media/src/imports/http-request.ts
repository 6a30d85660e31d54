import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connectionFailed, tooManyHints, tooSmallChunks } from './failures.ts';
import type { RemoteUrl } from './remote-url.ts';
import type { Address } from './resolve.ts';
import type { HttpResponse } from './response.ts';

/**
 * Maximum size of a response's status line and headers, in bytes. This is Node's default. It is set explicitly so that
 * NODE_OPTIONS can't raise it.
 */
const MAX_HEAD_BYTES = 16 * 1024;

/** Maximum number of interim responses (1xx) before the response; honest servers send one or two. */
const MAX_HINTS = 20;

/**
 * Number of chunks that a body may have whatever their size, and average number of bytes that it must have for each
 * further chunk. Tiny chunks are limited because the parser delivers all chunks of a packet in one turn of the event
 * loop. A file that is sent line by line has chunks of about 256 bytes.
 */
const FREE_CHUNKS = 1000;
const MEAN_CHUNK_BYTES = 64;

/**
 * Maximum bytes that the parser gets per turn of the event loop until the response begins. A piece of this size holds
 * at most about a hundred interim responses, which take 5 to 10 µs each.
 */
const PIECE_BYTES = 4 * 1024;

/**
 * Minimum bytes of a chunk to free explicitly. Freeing a smaller chunk costs five times as much as all other work on
 * it.
 */
const WORTH_FREEING = 4096;

/** Maximum number of received bytes that are held for the reader. Beyond it, nothing more is read from the socket. */
const MAX_WAITING = 64 * 1024;

/**
 * Milliseconds to wait for a connection to each address but the last. The runtime's default, a fraction of a second, is
 * too short for a distant server.
 */
const ATTEMPT_TIMEOUT = 2000;

/**
 * Milliseconds that an idle connection is kept. Apache and Node close theirs after 5 seconds; a connection that the
 * server closes first costs a failed attempt.
 */
const MAX_IDLE_TIME = 4000;

/** Maximum number of idle connections to a host, and of hosts with idle connections. */
const MAX_IDLE_PER_HOST = 8;
const MAX_IDLE_HOSTS = 32;

const KEPT = { keepAlive: true, maxFreeSockets: MAX_IDLE_PER_HOST, timeout: MAX_IDLE_TIME } as const;

/**
 * Connections that are kept for further requests to the same host. They aren't shared between features, because each
 * has its own rules for the addresses that may be reached.
 */
export class Connections {
  readonly http = limited(new HttpAgent(KEPT));
  readonly https = limited(new HttpsAgent(KEPT));
}

/** Makes an agent keep no further connection while it has idle ones to {@link MAX_IDLE_HOSTS} hosts. */
function limited<A extends HttpAgent>(agent: A): A {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => Object.keys(agent.freeSockets).length < MAX_IDLE_HOSTS && keep(socket);
  return agent;
}

export interface HttpRequestOptions {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Headers to send in addition to the usual ones. A `User-Agent` replaces the usual one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The only addresses to connect to, whatever the host's name resolves to in the meantime. */
  readonly addresses: readonly Address[];
  /** Certificate authorities in PEM format, which are trusted instead of the runtime's. */
  readonly ca: string | undefined;
  /** Kept connections to use, for requests that may be sent twice. By default, the connection is new and isn't kept. */
  readonly connections?: Connections | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and waits for the head of the response. Proxies in the environment are ignored, and nothing is
 * decompressed. If a kept connection ends without a response, the request is sent again over a new one, because the
 * server may have closed the connection while it was idle (RFC 9112 section 9.3.1).
 *
 * @throws RemoteError `failed`
 */
export async function sendRequest(remote: RemoteUrl, request: HttpRequestOptions): Promise<HttpResponse> {
  const { method, headers, body, addresses, ca, connections, signal } = request;
  signal.throwIfAborted();
  const { url, host, name } = remote;
  const isSecure = url.protocol === 'https:';
  const options = {
    agent: (isSecure ? connections?.https : connections?.http) ?? false,
    method,
    host,
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...headersFor(remote, headers), Connection: connections ? 'keep-alive' : 'close' },
    lookup: pinnedTo(addresses),
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT,
    maxHeaderSize: MAX_HEAD_BYTES,
    signal,
    // `rejectUnauthorized` is set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could override the default.
    // `servername` is empty for an IP address, which must not be sent as a server name (RFC 6066 section 3).
    rejectUnauthorized: true,
    servername: isIP(host) === 0 ? host : '',
    ...(ca && { ca }),
  };
  return new Promise((resolve, reject) => {
    const client = isSecure ? requestHttps(options) : requestHttp(options);
    let isSettled = false;
    const answer = (response: IncomingMessage): void => {
      isSettled = true;
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body: bodyOf(response, client, name), close: () => client.destroy() });
    };
    const fail = (error: Error | null): void => {
      if (isSettled) return;
      isSettled = true;
      if (client.reusedSocket) resolve(sendRequest(remote, { ...request, connections: undefined }));
      else reject(connectionFailed(name, error));
    };
    let hints = 0;
    client
      .on('socket', (socket) => passInPieces(socket, client))
      .on('information', () => {
        hints += 1;
        if (hints === MAX_HINTS + 1) client.destroy(tooManyHints(name));
      })
      .on('response', answer)
      .on('upgrade', (response, socket) => {
        socket.destroy();
        answer(response);
      })
      .on('error', fail)
      // The connection ended without an error and without a response.
      .on('close', () => fail(null))
      .end(body);
  });
}

/**
 * Passes input to the parser in small pieces until the response begins. Otherwise the parser would process all
 * available input in one turn of the event loop, even after the connection was destroyed. While `readable` has a
 * listener, the parser gets only what is read here.
 */
function passInPieces(socket: Socket, client: ClientRequest): void {
  let [isPassing, isOver] = [false, false];
  const pass = (): void => {
    isPassing = false;
    if (isOver || client.destroyed) return;
    // At the end of the stream no bytes are left, and a read without a length makes the stream emit `end`.
    socket.read(Math.min(PIECE_BYTES, socket.readableLength) || undefined);
    if (socket.readableLength > 0) next();
  };
  const next = (): void => {
    if (!isPassing) setImmediate(pass);
    isPassing = true;
  };
  socket.on('readable', next);
  client.once('response', () => {
    isOver = true;
    socket.off('readable', next);
  });
}

const headersFor = ({ url, host }: RemoteUrl, own: Readonly<Record<string, string>>): Record<string, string> => {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return {
    Host: url.port === '' ? bracketed : `${bracketed}:${url.port}`,
    ...own,
    'User-Agent': own['User-Agent'] ?? 'Postshelf/1.0',
  };
};

/** Returns a replacement for DNS that yields the addresses that were checked earlier. */
const pinnedTo =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };

/**
 * Frees a buffer unless it is small or its memory is shared. The garbage collector would free the memory late, because
 * it sees only the small object that refers to the memory.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < WORTH_FREEING) return;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Joins chunks, and frees them. */
function join(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = Buffer.concat(chunks);
  for (const chunk of chunks) free(chunk);
  return joined;
}

/**
 * Yields the body, with small chunks joined. Each chunk is valid until the next one is requested. A body without a
 * length ends with the connection (RFC 9112 section 6.3); if the connection was reset, the body is incomplete.
 */
async function* bodyOf(
  response: IncomingMessage,
  client: ClientRequest,
  host: string,
): AsyncGenerator<Uint8Array, undefined> {
  let [chunks, total, size] = [0, 0, 0];
  let waiting: Uint8Array[] = [];
  let isOver = false;
  let failure: Error | null = null;
  let wake = (): void => undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    wake();
  };
  client.on('error', fail);
  response
    .on('error', fail)
    .on('end', () => {
      isOver = true;
      wake();
    })
    .on('close', () => isOver || fail(new Error('The connection ended before the body did.')))
    .on('data', (chunk: Uint8Array) => {
      chunks += 1;
      total += chunk.length;
      if (chunks > FREE_CHUNKS + total / MEAN_CHUNK_BYTES) fail(tooSmallChunks(host));
      if (failure) {
        client.destroy();
        return;
      }
      waiting.push(chunk);
      size += chunk.length;
      if (size >= MAX_WAITING) response.pause();
      wake();
    });
  for (;;) {
    if (failure) throw failure;
    const [first] = waiting;
    if (first) {
      const bytes = waiting.length === 1 ? first : join(waiting);
      [waiting, size] = [[], 0];
      yield bytes;
      free(bytes);
    } else if (isOver) return;
    else if (response.isPaused()) {
      // Without this wait, one turn would read everything that the system has received, which may be several megabytes.
      await nextTurn();
      response.resume();
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}
