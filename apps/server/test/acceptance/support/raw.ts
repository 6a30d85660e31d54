import { connect, type Socket } from 'node:net';
import { makeReply, type Reply } from './reply.ts';
import { within } from './until.ts';

/** A TCP connection on which the test controls every byte that is sent. */
export interface RawConnection {
  /**
   * Sends bytes, and waits until the server accepts them. Returns `false` once the server has closed the connection.
   */
  send(bytes: string | Uint8Array): Promise<boolean>;
  /**
   * Resolves with the first final answer, or with `undefined` if the server closes the connection before the answer is
   * complete.
   */
  readonly reply: Promise<Reply | undefined>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  /** Closes the connection immediately, with a reset if possible. */
  hangUp(): void;
}

export async function openRaw(port: number, method = 'GET'): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1' });
  await new Promise<void>((done, fail) => {
    socket.once('connect', done);
    socket.once('error', fail);
  });
  socket.removeAllListeners('error');
  // A reset by the server must not throw. Tests check `closed` and `reply` instead.
  socket.on('error', () => socket.destroy());
  let closed = false;
  const close = new Promise<void>((done) => {
    socket.once('close', () => {
      closed = true;
      done();
    });
  });
  return {
    send: async (bytes) => {
      if (closed || socket.destroyed) return false;
      const taken = socket.write(bytes);
      if (!taken) await Promise.race([new Promise<void>((done) => socket.once('drain', done)), close]);
      return !closed;
    },
    reply: readReply(socket, close, method),
    closed: close,
    hangUp: () => {
      // This sends RST instead of FIN if the runtime supports it.
      if (typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy();
      else socket.destroy();
    },
  };
}

/** Sends one request exactly as given and reads its answer. */
export async function rawRequest(port: number, request: string | Uint8Array, deadline = 10_000) {
  const head = typeof request === 'string' ? request : new TextDecoder('latin1').decode(request.subarray(0, 16));
  const connection = await openRaw(port, head.split(' ')[0]);
  await connection.send(request);
  try {
    return await within('the answer to a raw request', connection.reply, deadline);
  } finally {
    connection.hangUp();
  }
}

function readReply(socket: Socket, close: Promise<void>, method: string): Promise<Reply | undefined> {
  let received: Buffer = Buffer.alloc(0);
  return new Promise((done) => {
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const reply = parseReply(received, method, false);
      if (reply !== undefined) done(reply);
    });
    void close.then(() => done(parseReply(received, method, true)));
  });
}

/** Reads one answer (RFC 9112 §6.3 says where its body ends). Returns `undefined` while it isn't complete. */
function parseReply(received: Buffer, method: string, ended: boolean): Reply | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = received.subarray(headEnd + 4);
  if (status >= 100 && status < 200) return parseReply(rest, method, ended);
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  if (method === 'HEAD' || status === 204 || status === 304) return makeReply(status, headers, rest);
  const length = headers.get('content-length');
  if (length !== null) {
    if (rest.length < Number(length)) return undefined;
    return makeReply(status, headers, rest.subarray(0, Number(length)));
  }
  if (headers.get('transfer-encoding')?.includes('chunked')) {
    const body = dechunk(rest);
    return body === undefined ? undefined : makeReply(status, headers, body);
  }
  return ended ? makeReply(status, headers, rest) : undefined;
}

function dechunk(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', offset);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(offset, lineEnd).toString('latin1'), 16);
    if (size === 0) return Buffer.concat(parts);
    // The response was aborted: where a chunk should begin, the HTTP layer has sent an error.
    if (Number.isNaN(size)) return undefined;
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    parts.push(bytes.subarray(start, start + size));
    offset = start + size + 2;
  }
}
