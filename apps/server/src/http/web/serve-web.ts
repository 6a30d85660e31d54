import { errorResponse, type RequestFacts } from '@postshelf/api';
import { notFound } from '@postshelf/domain';
import Negotiator from 'negotiator';
import { once } from '../../once.ts';
import { PAGE_HEADERS, serveAsset } from '../asset.ts';

type Handler = (facts: Pick<RequestFacts, 'request'>) => Promise<Response>;

/** The paths at which the web app's only page is served. It shows a different view at each path. */
const PAGES = ['/', '/folders/:id', '/media/:id', '/posts', '/best-times', '/trash', '/people'];

/** Placeholder of the nonce in the page (apps/web/vite.config.ts). */
const NONCE = 'CSP_NONCE';

export interface WebPlaces {
  readonly publicUrl: string;
  readonly origins: readonly string[];
  /** The text after "Sign in with" on the button for the OpenID provider; null if there is none. */
  readonly signInWith: string | null;
  /** Milliseconds for which deleted media can be restored; 0 if they can't be restored. */
  readonly undoTime: number;
}

export interface Web {
  /** Handlers of GET requests, by path. */
  readonly pages: Readonly<Record<string, Handler>>;
  /**
   * Returns the response to a request that matches no route: for browsers the page, which shows an error, and null for
   * programs.
   */
  missing(request: Request): Promise<Response | null>;
}

/**
 * Serves the web app: one page at several paths, for clients that accept HTML, and the files below `/assets/`. The web
 * app is loaded when the first request arrives.
 */
export function createWeb(places: WebPlaces): Web {
  const files = once(async () => (await import('./files.ts')).readWebFiles());
  const page: Handler = async ({ request }) => servePage(request, (await files()).page, places);
  const asset: Handler = async ({ request }) => {
    const name = new URL(request.url).pathname.slice('/assets/'.length);
    const found = (await files()).assets.get(name);
    if (!found) throw notFound();
    return serveAsset(request, found);
  };
  return {
    pages: { ...Object.fromEntries(PAGES.map((path) => [path, page])), '/assets/*': asset },
    async missing(request) {
      const isLooking = request.method === 'GET' || request.method === 'HEAD';
      // The Accept header has to name `text/html`, because programs that accept any type expect JSON.
      const isNamed = request.headers.get('accept')?.includes('text/html') ?? false;
      if (!isLooking || !isNamed || !acceptsHtml(request) || isOfApi(request)) return null;
      return servePage(request, (await files()).page, places, 404);
    },
  };
}

const isOfApi = ({ url }: Request): boolean => /^\/v1(?:\/|$)/.test(new URL(url).pathname);

function acceptsHtml(request: Request): boolean {
  const headers = { accept: request.headers.get('accept') ?? undefined };
  return new Negotiator({ headers }).mediaType(['text/html']) !== undefined;
}

/** Serves the page. Clients that accept only JSON get 404. */
function servePage(request: Request, template: string, places: WebPlaces, status = 200): Response {
  const { publicUrl, origins } = places;
  if (!acceptsHtml(request)) {
    const refusal = errorResponse(notFound(), () => undefined);
    refusal.headers.set('Vary', 'Accept');
    return refusal;
  }
  const { origin, pathname } = new URL(request.url);
  // Links to files begin with the public URL, even if the page was opened under another of the service's host names. So
  // the page may also load files from the public URL's origin.
  const { origin: linked } = new URL(publicUrl);
  const others = linked === origin ? origins : [linked, ...origins];
  const nonce = crypto.getRandomValues(new Uint8Array(16)).toBase64();
  // Relative URLs work behind a proxy that adds a path.
  const up = pathname.split('/').length - 2;
  const page = template.replaceAll('="./', `="${up === 0 ? './' : '../'.repeat(up)}`).replaceAll(NONCE, nonce);
  return new Response(
    page.replace('</head>', (end) => metaOf(places) + end),
    {
      status,
      headers: {
        ...PAGE_HEADERS,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy(nonce, [...new Set(others)]),
        'Cross-Origin-Opener-Policy': 'same-origin',
        // Each answer needs a different nonce.
        'Cache-Control': 'no-store',
        Vary: 'Accept',
      },
    },
  );
}

const DAY = 24 * 60 * 60 * 1000;

/** Returns the settings that the page needs, as meta tags. */
const metaOf = ({ signInWith, undoTime }: WebPlaces): string =>
  [
    ['undo-days', String(undoTime / DAY)],
    ['sign-in-with', signInWith],
  ]
    .map(([name, content]) => content && `<meta name="postshelf-${name}" content="${Bun.escapeHTML(content)}">`)
    .join('');

/**
 * Allows the page's own scripts, calls to this service, and files of this service and its storage. Styles that scripts
 * insert, as react-aria does, carry the nonce.
 *
 * @param origins the other origins that serve and receive files
 */
function contentSecurityPolicy(nonce: string, origins: readonly string[]): string {
  const here = ["'self'", ...origins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${here} data: blob:`,
    `media-src ${here} blob:`,
    `connect-src ${here}`,
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
