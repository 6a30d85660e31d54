import type { Content, Contents } from './contents.ts';

/** How a page answers. `slow`: in pieces; `flaky`: with 503 at first; `gone`: never. */
export type Manner = 'plain' | 'slow' | 'flaky' | 'gone';

const PIECES = 5;
/** Milliseconds between two pieces. */
const PAUSE = 120;

/** A web server on the loopback address whose files the service imports. */
export class Origin {
  readonly #pages = new Map<string, { readonly content: Content; readonly manner: Manner; asked: number }>();
  readonly #server;

  constructor(private readonly contents: Contents) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      // A busy machine may take long over a piece.
      idleTimeout: 120,
      fetch: ({ url }) => this.#answer(new URL(url).pathname),
    });
  }

  /** The address of a page for the file. */
  page(content: Content, manner: Manner): string {
    const path = `/${content.number}`;
    this.#pages.set(path, { content, manner, asked: 0 });
    return `http://127.0.0.1:${this.#server.port}${path}`;
  }

  close(): Promise<void> {
    return this.#server.stop(true);
  }

  #answer(path: string): Response {
    const page = this.#pages.get(path);
    if (!page || page.manner === 'gone') return new Response('There is nothing here.', { status: 404 });
    page.asked += 1;
    if (page.manner === 'flaky' && page.asked === 1) return new Response('Not now.', { status: 503 });
    const bytes = this.contents.bytesOf(page.content);
    if (page.manner !== 'slow') return new Response(Buffer.from(bytes));
    return new Response(inPieces(bytes), { headers: { 'Content-Length': String(bytes.length) } });
  }
}

function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const length = Math.ceil(bytes.length / PIECES);
  let start = 0;
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(bytes.slice(start, start + length));
      start += length;
      if (start >= bytes.length) controller.close();
      else await Bun.sleep(PAUSE);
    },
  });
}
