import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** One request that has reached an origin. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Names in lower case, in the order in which they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Milliseconds of the test process's own clock. */
  readonly at: number;
}

/** One request and its connection, on which the test decides every byte of the answer. */
export interface Exchange {
  readonly request: Received;
  /** Which request for its page this is, from 1. */
  readonly attempt: number;
  /** Sends bytes and waits while the client doesn't take them; `false` once the client has gone. */
  send(bytes: string | Uint8Array): Promise<boolean>;
  /** Ends the connection when everything is sent: the only end of a body that has no length. */
  finish(): void;
  /** Ends the connection in the middle of things, with a reset. */
  cut(): void;
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>;
}

export type Answer = (exchange: Exchange) => unknown;

/** One address of an origin and what has happened there. */
export interface Page {
  readonly url: string;
  readonly path: string;
  readonly requests: readonly Received[];
  /** Connections that are open at this moment. */
  readonly open: number;
}

class CountedPage implements Page {
  readonly requests: Received[] = [];
  open = 0;

  constructor(
    readonly url: string,
    readonly path: string,
    readonly answer: Answer,
  ) {}
}

interface OriginOptions {
  readonly host?: string;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A web server made of bare sockets: it may lie, stall and cut as no library would let it. */
export class Origin {
  /** Requests for no page, which nobody should make. */
  readonly strays: Received[] = [];
  /** Connections of all time. */
  connections = 0;
  readonly #pages = new Map<string, CountedPage>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #port = 0;
  #opened = 0;

  private constructor(private readonly options: OriginOptions) {
    const accept = (socket: Socket) => this.#accept(socket);
    this.#server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept);
  }

  static async open(options: OriginOptions = {}): Promise<Origin> {
    const origin = new Origin(options);
    await new Promise<void>((done, fail) => {
      origin.#server.once('error', fail);
      origin.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1', done);
    });
    const address = origin.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The origin has no port.');
    origin.#port = address.port;
    return origin;
  }

  get port(): number {
    return this.#port;
  }

  /** The origin's address without a path, under another host name where one is given. */
  base(host = this.options.host ?? '127.0.0.1'): string {
    return `http${this.options.tls === undefined ? '' : 's'}://${host}:${this.#port}`;
  }

  /** Opens a page with an address of its own that ends in `name`; it answers whatever query it is asked with. */
  page(name: string, answer: Answer): Page {
    this.#opened += 1;
    const path = `/${this.#opened}/${name}`;
    const page = new CountedPage(`${this.base()}${path}`, path, answer);
    this.#pages.set(new URL(page.url).pathname, page);
    return page;
  }

  /** Takes a page away: whoever asks for it from now on gets 404. */
  withdraw({ url }: Page): void {
    this.#pages.delete(new URL(url).pathname);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #accept(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    // A client that resets the connection is an outcome, which tests see in `closed`.
    socket.on('error', () => socket.destroy());
    const closed = new Promise<void>((done) => {
      socket.once('close', () => {
        this.#sockets.delete(socket);
        done();
      });
    });
    let received = '';
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', read);
      // Still read, so that the end of the connection is noticed.
      socket.resume();
      this.#answer(socket, parseHead(received.slice(0, end)), closed);
    };
    socket.on('data', read);
  }

  #answer(socket: Socket, request: Received, closed: Promise<void>): void {
    const page = this.#pages.get(request.target.replace(/\?.*/, ''));
    if (page === undefined) {
      this.strays.push(request);
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    page.requests.push(request);
    page.open += 1;
    void closed.then(() => {
      page.open -= 1;
    });
    void page.answer({
      request,
      attempt: page.requests.length,
      closed,
      send: async (bytes) => {
        if (socket.destroyed || !socket.writable) return false;
        if (!socket.write(bytes)) await Promise.race([new Promise((done) => socket.once('drain', done)), closed]);
        return !socket.destroyed;
      },
      finish: () => socket.end(),
      cut: () => {
        if (typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy();
        else socket.destroy();
      },
    });
  }
}

function parseHead(head: string): Received {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { method, target, headers, at: performance.now() };
}
