/** Stands in front of the server, as a proxy does while a service is restarted: for the first requests it isn't there. */
export class Trouble {
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

  /** @param failures how many requests are turned away */
  static open(target: string, failures: number): Trouble {
    return new Trouble(target, failures);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  close(): void {
    void this.#server.stop(true);
  }
}
