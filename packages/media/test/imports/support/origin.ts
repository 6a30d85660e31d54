import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** One request to an origin. */
export interface Visit {
  /** Request line and headers, as they came. */
  readonly head: string;
  /** The path and query that were asked for. */
  readonly path: string;
  readonly socket: Socket;
}

export type Answer = (visit: Visit) => void;

/** A server that speaks raw bytes, on loopback, and counts who comes. */
export interface Origin extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:port`, or https. */
  readonly url: string;
  /** Connections ever taken. */
  readonly connections: number;
  readonly visits: readonly Visit[];
  /** Resolves with the next visit, or the one that nobody has waited for yet. */
  nextVisit(): Promise<Visit>;
  /** Resolves once no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

export interface OriginOptions {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default any that is free. */
  readonly port?: number;
  readonly tls?: TlsOptions;
  /** Sent before anything is asked. */
  readonly greeting?: string;
}

/** Answers every request on a connection's first bytes; a connection without a request is held open. */
export async function startOrigin(answer: Answer, options: OriginOptions = {}): Promise<Origin> {
  const { address = '127.0.0.1', tls, greeting } = options;
  const open = new Set<Socket>();
  const visits: Visit[] = [];
  const waiting: ((visit: Visit) => void)[] = [];
  let taken = 0;
  let connections = 0;
  const idle: (() => void)[] = [];

  const server: Server = tls ? createTlsServer(tls) : createServer();
  // Of the plain connection, so that one whose handshake fails counts too.
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    if (greeting !== undefined) socket.write(greeting);
    // Clients go away in the middle here; each test asserts what it is about.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      open.delete(socket);
      if (open.size === 0) for (const resolve of idle.splice(0)) resolve();
    });
  });
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    let head = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      if (head.includes('\r\n\r\n')) return;
      head += bytes.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      const visit = { head, path: head.split(' ')[1] ?? '', socket };
      visits.push(visit);
      waiting.shift()?.(visit);
      answer(visit);
    });
  });
  server.listen(options.port ?? 0, address);
  await once(server, 'listening');
  const listening = server.address();
  if (listening === null || typeof listening === 'string') throw new Error('The origin listens on no port.');
  const { port } = listening;

  const close = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    visits,
    async nextVisit() {
      const visit = visits[taken];
      taken += 1;
      return visit ?? new Promise((resolve) => waiting.push(resolve));
    },
    allClosed: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** An answer of raw bytes, after which the connection is ended. */
export const saying =
  (...parts: readonly (string | Uint8Array)[]): Answer =>
  ({ socket }) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

/** An answer with a body of a known length. */
export const giving = (body: string): Answer =>
  saying(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body);

/** An answer that sends somewhere else. */
export const redirecting = (location: string, status = 302): Answer =>
  saying(`HTTP/1.1 ${status} Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);

/** No answer. */
export const silence: Answer = () => {};
