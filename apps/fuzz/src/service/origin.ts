/** A web server whose files are whatever a case says: where imports by URL come from. */
export class Origin implements Disposable {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #server: Bun.Server<undefined>;
  #next = 0;

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => {
        const file = this.#files.get(new URL(url).pathname);
        return file === undefined ? new Response(null, { status: 404 }) : new Response(file);
      },
    });
  }

  /** Serves bytes at an address of their own, until they are withdrawn. */
  offer(bytes: Uint8Array<ArrayBuffer>): { readonly url: string; withdraw(): void } {
    const path = `/${this.#next++}.bin`;
    this.#files.set(path, bytes);
    return { url: `http://127.0.0.1:${this.#server.port}${path}`, withdraw: () => void this.#files.delete(path) };
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}
