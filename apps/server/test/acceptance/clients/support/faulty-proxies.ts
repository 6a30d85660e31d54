import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createNetServer, type Server as NetServer } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy in front of the server. It refuses the first requests, as if the service were being restarted. */
export class FailingProxy {
  requests = 0;
  readonly #server: Bun.Server<undefined>;

  private constructor(target: string, failures: number) {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        this.requests += 1;
        if (this.requests <= failures) return new Response('<h1>Back soon</h1>', { status: 503 });
        const { pathname, search } = new URL(request.url);
        return fetch(target + pathname + search, { headers: request.headers });
      },
    });
  }

  /** @param failures the number of requests that are refused */
  static open(target: string, failures: number): FailingProxy {
    return new FailingProxy(target, failures);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  close(): void {
    void this.#server.stop(true);
  }
}

/** A proxy in front of the server that cuts each connection after some bytes. */
export class CuttingProxy {
  connections = 0;
  readonly #server: NetServer;

  private constructor(target: string, max: number) {
    const { hostname, port } = new URL(target);
    this.#server = createNetServer((incoming) => {
      this.connections += 1;
      const outgoing = connect(Number(port), hostname);
      let left = max;
      incoming.on('data', (data) => {
        left -= data.length;
        outgoing.write(data);
        if (left < 0) incoming.destroy();
      });
      outgoing.on('data', (data) => incoming.write(data));
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
      }
    });
  }

  /** @param max the maximum number of bytes per connection */
  static async open(target: string, max: number): Promise<CuttingProxy> {
    const cutting = new CuttingProxy(target, max);
    await new Promise<void>((resolve) => cutting.#server.listen(0, '127.0.0.1', resolve));
    return cutting;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('It does not listen.');
    return `http://127.0.0.1:${address.port}`;
  }

  close(): void {
    this.#server.close();
  }
}

/**
 * A proxy in front of the server. It forwards every request, but drops the server's answer to the first, and replaces
 * the answer to the second with a 503.
 */
export class LossyProxy {
  /** The idempotency keys of the requests, in order. null is a request without a key. */
  keys: (string | null)[] = [];
  readonly #server: Server;

  private constructor(target: string) {
    this.#server = createServer((request, response) => {
      const key = request.headers['idempotency-key'];
      this.keys.push(typeof key === 'string' ? key : null);
      const nth = this.keys.length;
      void passOn(target, request).then(async (answer) => {
        if (nth === 1) return request.socket.destroy();
        if (nth === 2) return response.writeHead(503, { 'Retry-After': '0' }).end();
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        return response.end(await answer.bytes());
      });
    });
  }

  static async open(target: string): Promise<LossyProxy> {
    const losses = new LossyProxy(target);
    await new Promise<void>((resolve) => losses.#server.listen(0, '127.0.0.1', resolve));
    return losses;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('It does not listen.');
    return `http://127.0.0.1:${address.port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function passOn(target: string, request: IncomingMessage): Promise<Response> {
  const headers = new Headers();
  for (const name of ['authorization', 'content-type', 'idempotency-key']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return fetch(target + request.url, { method: request.method ?? 'GET', headers, body: await buffer(request) });
}
