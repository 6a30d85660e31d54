import { type RawRequest, RawServer, type RawServerOptions } from '@postshelf/harness/raw-server';

/** One request to an origin. */
interface Visit extends Pick<RawRequest, 'closed' | 'head' | 'socket'> {
  /** The requested path and query. */
  readonly path: string;
}

export type Answer = (visit: Visit) => void;

/** A server on loopback that sends raw bytes, and counts connections. */
export interface Origin extends AsyncDisposable {
  readonly port: number;
  /** The address as `http://127.0.0.1:port`, or with https. */
  readonly url: string;
  /** The number of connections accepted since the start. */
  readonly connections: number;
  readonly visits: readonly Visit[];
  /** Resolves with the earliest request that hasn't been waited for yet, or with the next one. */
  nextVisit(): Promise<Visit>;
  /** Resolves once no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a server that answers every request when its head has arrived. A connection without a request is kept open.
 */
export async function startOrigin(answer: Answer, options: RawServerOptions = {}): Promise<Origin> {
  const visits: Visit[] = [];
  const waiting: ((visit: Visit) => void)[] = [];
  let taken = 0;
  const server = await RawServer.listen(options, ({ head, target, socket, closed }) => {
    const visit = { head, path: target, socket, closed };
    visits.push(visit);
    waiting.shift()?.(visit);
    answer(visit);
  });
  return {
    port: server.port,
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${server.port}`,
    get connections() {
      return server.connections;
    },
    visits,
    async nextVisit() {
      const visit = visits[taken];
      taken += 1;
      return visit ?? new Promise((resolve) => waiting.push(resolve));
    },
    allClosed: () => server.allClosed(),
    close: async () => server.close(),
    [Symbol.asyncDispose]: async () => server.close(),
  };
}

/** Returns an answer of raw bytes, after which the connection is closed. */
export const saying =
  (...parts: readonly (string | Uint8Array)[]): Answer =>
  ({ socket }) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

/** Returns an answer with a body of a known length. */
export const giving = (body: string): Answer =>
  saying(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body);

/** Returns an answer with a body of a known length, after which the connection stays open. */
export const givingAndKeeping =
  (body: string): Answer =>
  ({ socket }) =>
    void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

/** Returns an answer that redirects. */
export const redirecting = (location: string, status = 302): Answer =>
  saying(`HTTP/1.1 ${status} Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);

/** An answer that sends nothing. */
export const silence: Answer = () => {};
