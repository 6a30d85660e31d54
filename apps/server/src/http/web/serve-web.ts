import { errorResponse, type RequestContext } from '@postshelf/api';
import { notFound } from '@postshelf/domain';
import Negotiator from 'negotiator';
import { PAGE_HEADERS, serveAsset } from '../asset.ts';
import type { WebFiles } from './files.ts';
import { contentSecurityPolicy } from './policy.ts';

type Handler = (context: Pick<RequestContext, 'request'>) => Promise<Response>;

/** Addresses of the page. Which of its views is shown, it knows by itself: a reload stays where it was. */
const PAGES = ['/', '/folders/:id', '/media/:id', '/posts', '/best-times'];

/** Stands in the page where an answer has its nonce (apps/web/vite.config.ts). */
const NONCE = 'CSP_NONCE';

export interface WebPlaces {
  /** The service's root as clients reach it. */
  readonly publicUrl: string;
  /** Where files are beside the service. */
  readonly origins: readonly string[];
}

/**
 * The library in a browser: one page at several addresses, for whoever takes HTML, and the files below `/assets/`, as
 * they were compressed at build. They are read when somebody first asks.
 *
 * @returns handlers of GET, by path
 */
export function createWeb(places: WebPlaces): Readonly<Record<string, Handler>> {
  let reading: Promise<WebFiles> | undefined;
  const files = (): Promise<WebFiles> => {
    reading ??= import('./files.ts').then(({ readWebFiles }) => readWebFiles());
    return reading;
  };
  const page: Handler = async ({ request }) => servePage(request, (await files()).page, places);
  const asset: Handler = async ({ request }) => {
    const name = new URL(request.url).pathname.slice('/assets/'.length);
    const found = (await files()).assets.get(name);
    if (!found) throw notFound();
    return serveAsset(request, found);
  };
  return { ...Object.fromEntries(PAGES.map((path) => [path, page])), '/assets/*': asset };
}

/** Programs that ask for JSON alone are told that there is nothing for them, as before there was a page. */
function servePage(request: Request, template: string, { publicUrl, origins }: WebPlaces): Response {
  const accept = { accept: request.headers.get('accept') ?? undefined };
  if (new Negotiator({ headers: accept }).mediaType(['text/html']) === undefined) {
    const refusal = errorResponse(notFound(), () => undefined);
    refusal.headers.set('Vary', 'Accept');
    return refusal;
  }
  const { origin, pathname } = new URL(request.url);
  // Links begin with the public address, also on a page that was opened by another name of the service.
  const { origin: linked } = new URL(publicUrl);
  const others = linked === origin ? origins : [linked, ...origins];
  const nonce = crypto.getRandomValues(new Uint8Array(16)).toBase64();
  // Addresses in the page are relative to the root, so that it works behind a proxy that adds a path.
  const up = pathname.split('/').length - 2;
  const html = template.replaceAll('="./', `="${up === 0 ? './' : '../'.repeat(up)}`).replaceAll(NONCE, nonce);
  return new Response(html, {
    headers: {
      ...PAGE_HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy(nonce, [...new Set(others)]),
      'Cross-Origin-Opener-Policy': 'same-origin',
      // A nonce is good for one answer.
      'Cache-Control': 'no-store',
      Vary: 'Accept',
    },
  });
}
