import { join } from 'node:path';
import { png } from '../../support/fixtures.ts';

declare global {
  /** What the page records, beginning before the picker is loaded. */
  var record: {
    /** The number of times that the page was asked for a token. */
    tokens: number;
    picked: Readonly<Record<string, unknown>>[][];
    /** The names and details of `cancel` and `error` events. */
    events: unknown[];
    violations: string[];
    /** Running timers of more than three seconds, and timers that repeat. */
    timers: Set<unknown>;
    objectUrls: Set<string>;
  };
  var removed: Element;
}

export interface HostPageOptions {
  readonly workspace: string;
  /** The tokens that the page returns, one for each request. After the last token, the page returns it again. */
  readonly tokens: readonly string[];
}

const NONCE = 'aGFyYm91cg';

/** A page that embeds a picker. Its origin differs from the service's, and its content security policy is strict. */
export class HostPage {
  readonly #server: Bun.Server<undefined>;
  /** If this promise is set, the file that is imported waits for it. */
  beforeSent: Promise<void> | null = null;

  /** @param dist the folder of the package's modules @param service the root URL of the service */
  constructor(port: number, dist: string, service: string, options: HostPageOptions) {
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'nonce-${NONCE}'`,
      `connect-src ${service}`,
      `img-src data: ${service}`,
    ].join('; ');
    this.#server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        if (pathname.startsWith('/elements/')) return new Response(Bun.file(join(dist, pathname.slice(10))));
        if (pathname === '/page.js') {
          return new Response(`(${note})();\n(${scriptOf})(${JSON.stringify(options)});`, {
            headers: { 'Content-Type': 'text/javascript' },
          });
        }
        if (pathname === '/sent.png') await this.beforeSent;
        if (pathname === '/sent.png') return new Response(new Blob([new Uint8Array(png())]));
        if (pathname !== '/') return new Response(null, { status: 404 });
        return new Response(pageOf(service, options.workspace), {
          headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
        });
      },
    });
  }

  get url(): string {
    return String(this.#server.url);
  }

  close(): Promise<void> {
    return this.#server.stop(true);
  }
}

const pageOf = (service: string, workspace: string): string => `<!doctype html>
<html lang="en">
  <head>
    <title>A shop</title>
    <meta property="csp-nonce" nonce="${NONCE}">
    <style nonce="${NONCE}">:root { color-scheme: light dark }</style>
    <link rel="icon" href="data:,">
    <script type="module" src="/page.js"></script>
  </head>
  <body>
    <main>
      <h1>A new product</h1>
      <postshelf-picker base-url="${service}" workspace="${workspace}"></postshelf-picker>
    </main>
  </body>
</html>`;

/**
 * Runs in the page before the picker exists, and records what the picker does. It ignores timers of up to 3 s, which
 * end soon anyway, because one of Uppy's timers can't be cleared.
 */
function note(): void {
  const LONG = 3000;
  globalThis.record = { tokens: 0, picked: [], events: [], violations: [], timers: new Set(), objectUrls: new Set() };
  const { timers, objectUrls, violations } = globalThis.record;
  document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  Object.assign(globalThis, {
    setTimeout(act: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) {
      const id = setTimeout(() => {
        timers.delete(id);
        act(...given);
      }, ms);
      if (ms !== undefined && ms > LONG) timers.add(id);
      return id;
    },
    clearTimeout(id?: number) {
      timers.delete(id);
      clearTimeout(id);
    },
    setInterval(act: () => void, ms?: number) {
      const id = setInterval(act, ms);
      timers.add(id);
      return id;
    },
    clearInterval(id?: number) {
      timers.delete(id);
      clearInterval(id);
    },
  });
  const create = URL.createObjectURL.bind(URL);
  const revoke = URL.revokeObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    const url = create(blob);
    objectUrls.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    objectUrls.delete(url);
    revoke(url);
  };
}

/**
 * A script for the page. It sets a property before the element is defined, as frameworks may, and then loads the
 * element.
 */
async function scriptOf({ tokens }: HostPageOptions): Promise<void> {
  const picker = document.querySelector('postshelf-picker') as HTMLElement & { token?: () => Promise<string> };
  picker.token = async () => {
    globalThis.record.tokens += 1;
    return tokens[Math.min(globalThis.record.tokens, tokens.length) - 1] ?? '';
  };
  for (const name of ['cancel', 'error']) {
    picker.addEventListener(name, (event) => globalThis.record.events.push([name, (event as CustomEvent).detail]));
  }
  picker.addEventListener('pick', (event) => {
    globalThis.record.picked.push((event as CustomEvent<{ items: Record<string, unknown>[] }>).detail.items);
  });
  const elements = '/elements/index.js';
  await import(elements);
}
