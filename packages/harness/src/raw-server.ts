import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface RawRequest {
  /** Request line and headers, as received. */
  readonly head: string;
  readonly method: string;
  readonly target: string;
  readonly socket: Socket;
  readonly closed: Promise<void>;
}

export interface RawServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Text that is sent before any request. */
  readonly greeting?: string | undefined;
}

/** Answers the requests of each connection until one isn't a GET. Connections without a request are held open. */
export class RawServer {
  /** Number of all connections since the start, including those whose TLS handshake failed. */
  connections = 0;
  #port = 0;
  readonly #open = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];
  readonly #server: Server;

  private constructor(
    { tls, greeting }: RawServerOptions,
    private readonly answer: (request: RawRequest) => unknown,
  ) {
    this.#server = tls === undefined ? createServer() : createTlsServer(tls);
    this.#server.on('connection', (socket: Socket) => this.#count(socket, greeting));
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => this.#read(socket));
  }

  static async listen(options: RawServerOptions, answer: (request: RawRequest) => unknown): Promise<RawServer> {
    const server = new RawServer(options, answer);
    await new Promise<void>((done, fail) => {
      server.#server.once('error', fail);
      server.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1', done);
    });
    const address = server.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
    server.#port = address.port;
    return server;
  }

  get port(): number {
    return this.#port;
  }

  /** Resolves once no connection is open. */
  allClosed(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }

  #count(socket: Socket, greeting: string | undefined): void {
    this.connections += 1;
    this.#open.add(socket);
    if (greeting !== undefined) socket.write(greeting);
    // A reset by the client isn't an error here. It also closes the connection, which tests can observe.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  #read(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    let received = '';
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      const head = received;
      received = '';
      const [method = '', target = ''] = head.slice(0, head.indexOf('\r\n')).split(' ');
      if (method !== 'GET') {
        socket.off('data', read);
        // Reading continues, so that the end of the connection is noticed.
        socket.resume();
      }
      this.answer({ head, method, target, socket, closed });
    };
    socket.on('data', read);
  }
}
