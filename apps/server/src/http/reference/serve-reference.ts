import type { RequestFacts } from '@postshelf/api';
import { notFound } from '@postshelf/domain';
import { once } from '../../once.ts';
import { PAGE_HEADERS, serveAsset } from '../asset.ts';
import type { PageFiles } from './files.ts';
import type { GuidePage } from './guide.ts';

const FOLDER = '/docs/';

/**
 * Allows the page's own files and calls to this service, but no other hosts. `data:` URLs are allowed because Swagger
 * UI loads icons from them.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/**
 * Serves `GET /docs`: the API's interactive reference, which reads `/v1/openapi.json` and calls the service with the
 * user's token. Also serves `GET /docs/guide` and `GET /docs/reference`, the API's documentation as pages.
 *
 * @throws Refusal `not_found` for other paths below the page
 */
export function createReference(): (facts: Pick<RequestFacts, 'request'>) => Promise<Response> {
  const files = once(async () => (await import('./files.ts')).readPageFiles());
  const pages = new Map([
    ['/docs/guide', once(() => makePage('guide'))],
    ['/docs/reference', once(() => makePage('reference'))],
  ]);
  return async ({ request }) => {
    const { pathname } = new URL(request.url);
    const page = pages.get(pathname);
    if (page) return (await page()).clone();
    if (`${pathname}/` === FOLDER) return servePage(await files());
    // The page's relative URLs work only at `/docs`, without the trailing slash.
    if (pathname === FOLDER) return new Response(null, { status: 308, headers: { Location: '../docs' } });
    const file = Object.values(await files()).find(({ name }) => pathname === `${FOLDER}${name}`);
    if (!file) throw notFound();
    return serveAsset(request, file);
  };
}

function servePage({ styles, bundle, start }: PageFiles): Response {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Postshelf API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/${styles.name}">
    <script src="docs/${bundle.name}" defer></script>
    <script src="docs/${start.name}" defer></script>
  </head>
  <body>
    <p><a href="./docs/guide">The guide</a>: first steps and pitfalls.
      <a href="./docs/reference">The reference</a>: this page as text.</p>
    <div id="reference"></div>
    <noscript>This page needs JavaScript; the same is at <a href="v1/openapi.json">v1/openapi.json</a>.</noscript>
  </body>
</html>
`;
  return pageOf(html, CONTENT_SECURITY_POLICY);
}

async function makePage(page: GuidePage): Promise<Response> {
  const { readGuide } = await import('./guide.ts');
  const { html, contentSecurityPolicy } = await readGuide(page);
  return pageOf(html, contentSecurityPolicy);
}

function pageOf(html: string, contentSecurityPolicy: string): Response {
  const headers = {
    ...PAGE_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Cache-Control': 'no-cache',
  };
  return new Response(html, { headers });
}
