import { type RawRequest, RawServer } from './raw-server.ts';

export interface Received {
  readonly method: string;
  readonly target: string;
  /** Names in lower case, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Milliseconds of the test process's own clock. */
  readonly at: number;
}

/** A request and its answer. The test decides every byte of the answer. */
export interface Exchange {
  readonly request: Received;
  /** Number of requests for the page so far, including this one. */
  readonly attempt: number;
  /** Waits until the client accepts the bytes; returns `false` once it has disconnected. */
  send(bytes: string | Uint8Array): Promise<boolean>;
  /** Ends the connection, which also ends a body without a declared length. */
  finish(): void;
  cut(): void;
  readonly closed: Promise<void>;
}

export type Answer = (exchange: Exchange) => unknown;

export interface Page {
  readonly url: string;
  readonly path: string;
  readonly requests: readonly Received[];
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

/** An HTTP server on bare sockets. Unlike an HTTP library, it can send invalid answers, stall and reset connections. */
export class Origin {
  /** Requests for unknown pages; there should be none. */
  readonly strays: Received[] = [];
  readonly #pages = new Map<string, CountedPage>();
  #server!: RawServer;
  #opened = 0;

  private constructor(private readonly options: OriginOptions) {}

  static async open(options: OriginOptions = {}): Promise<Origin> {
    const origin = new Origin(options);
    origin.#server = await RawServer.listen(options, (request) => origin.#answer(request));
    return origin;
  }

  get connections(): number {
    return this.#server.connections;
  }

  get port(): number {
    return this.#server.port;
  }

  /** Returns the origin's address without a path, with another host name if one is given. */
  base(host = this.options.host ?? '127.0.0.1'): string {
    return `http${this.options.tls === undefined ? '' : 's'}://${host}:${this.port}`;
  }

  /** Adds a page with a new address that ends in `name`. Its answer is the same for any query string. */
  page(name: string, answer: Answer): Page {
    this.#opened += 1;
    const path = `/${this.#opened}/${name}`;
    const page = new CountedPage(`${this.base()}${path}`, path, answer);
    this.#pages.set(new URL(page.url).pathname, page);
    return page;
  }

  /** Removes a page; further requests get 404. */
  withdraw({ url }: Page): void {
    this.#pages.delete(new URL(url).pathname);
  }

  close(): void {
    this.#server.close();
  }

  #answer({ head, method, target, socket, closed }: RawRequest): void {
    const request: Received = { method, target, headers: headersOf(head), at: performance.now() };
    const page = this.#pages.get(target.replace(/\?.*/, ''));
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

const headersOf = (head: string): Received['headers'] =>
  head
    .slice(0, head.indexOf('\r\n\r\n'))
    .split('\r\n')
    .slice(1)
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
