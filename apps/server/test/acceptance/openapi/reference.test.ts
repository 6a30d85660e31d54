import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { document } from '../support/contract.ts';
import { at } from '../support/reply.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const anonymous = { token: null };

describe('GET /v1/openapi.json', () => {
  test('is the committed document, even without a token', async () => {
    const reply = await world.call('GET /v1/openapi.json', anonymous);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toStartWith('application/json');
    expect(reply.json).toEqual(document);
  });

  test('answers 304 to a client that already has it', async () => {
    const etag = (await world.call('GET /v1/openapi.json', anonymous)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = (tag: string) =>
      world.call('GET /v1/openapi.json', { token: null, headers: { 'if-none-match': tag } });
    expect(await again(etag)).toMatchObject({ status: 304, text: '' });
    expect((await again('"other"')).status).toBe(200);
  });

  test('answers only GET and HEAD', async () => {
    expect(await world.call('HEAD /v1/openapi.json', anonymous)).toMatchObject({ status: 200, text: '' });
    const reply = await world.call('POST /v1/openapi.json', anonymous);
    expect({ status: reply.status, allow: reply.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });

  test('is the document that postshelf openapi prints', async () => {
    expect(JSON.parse(await world.run(['openapi']))).toEqual(document);
  });

  test('names the path of PUBLIC_URL', async () => {
    const behind = await World.open({ PUBLIC_URL: 'https://example.org/shelf/' });
    try {
      const reply = await behind.call('GET /v1/openapi.json', anonymous);
      expect(at(reply.json, 'servers')).toEqual([{ url: '/shelf/v1' }]);
    } finally {
      await behind.close();
    }
  });
});

describe('GET /docs', () => {
  const filesOf = (html: string): string[] =>
    Array.from(html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g), ([, path = '']) => path);

  test('is a page that may load from and call only this service', async () => {
    const reply = await world.call('GET /docs', anonymous);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toStartWith('text/html');
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(policy).toStartWith("default-src 'none';");
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
    expect(reply.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(filesOf(reply.text)).toHaveLength(3);
  });

  test('loads files that are cacheable forever, and compressed for clients that accept gzip', async () => {
    const page = await world.call('GET /docs', anonymous);
    for (const path of filesOf(page.text)) {
      expect(path).toMatch(/-[0-9a-f]{16}\.(js|css)$/);
      const plain = await world.call(`GET /${path}`, { token: null, headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(plain.status).toBe(200);
      expect(plain.headers.get('cache-control')).toContain('immutable');
      expect(plain.headers.get('content-encoding')).toBeNull();
      const gzipped = await world.call(`GET /${path}`, { token: null, headers: { 'accept-encoding': 'br, gzip' } });
      expect(gzipped.headers.get('content-encoding')).toBe('gzip');
      expect(gzipped.headers.get('vary')).toContain('Accept-Encoding');
      expect(gzipped.text).toBe(plain.text);
    }
  });

  test('returns 404 for other paths below /docs, and redirects a trailing slash', async () => {
    for (const path of ['/docs/swagger-ui.js', '/docs/../docs/x', '/docs/%2e%2e/main.ts', '/docs/index.html']) {
      const reply = await world.call(`GET ${path}`, anonymous);
      expect({ path, status: reply.status, body: reply.json }).toEqual({
        path,
        status: 404,
        body: { message: 'Not found.' },
      });
    }
    const slash = await world.call('GET /docs/', anonymous);
    expect({ status: slash.status, to: slash.headers.get('location') }).toEqual({ status: 308, to: '../docs' });
  });
});

const pages = [
  { page: 'guide', file: 'api.md', words: ['curl -T film.mp4', 'RateLimit-Remaining', 'method=average'] },
  { page: 'reference', file: 'reference.md', words: ['posts.create', '/workspaces/{workspace}/rotate_link_key'] },
];

describe.each(pages)('GET /docs/$page', ({ page, file, words }) => {
  const get = () => world.call(`GET /docs/${page}`, anonymous);

  test('is linked from /docs, and shows the whole document', async () => {
    const { text: docs } = await world.call('GET /docs', anonymous);
    expect(docs).toContain(`<a href="./docs/${page}">`);
    const { status, headers, text } = await get();
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    const source = readFileSync(join(import.meta.dir, '../../../../../docs', file), 'utf8');
    const headings = source.replace(/^```.*?^```$/gms, '').match(/^#+ /gm);
    expect(text.match(/<h\d id="/g)).toHaveLength(headings?.length ?? 0);
    for (const word of words) expect(text).toContain(word);
    expect(await world.call(`HEAD /docs/${page}`, anonymous)).toMatchObject({ status: 200, text: '' });
  });

  test('is a page that is not allowed to load or run anything', async () => {
    const { headers, text } = await get();
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toStartWith("default-src 'none';");
    expect(policy).not.toMatch(/script-src|https?:|\*|unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/<script|<[^>]*\son\w+=|<img|src=/i);
  });

  test('has no broken links', async () => {
    const { text } = await get();
    const links = new Set(Array.from(text.matchAll(/href="([^"]+)"/g), ([, href = '']) => href));
    expect(Array.from(links).some((href) => href.includes('#'))).toBe(true);
    for (const href of links) {
      if (href === 'data:,' || href.startsWith('https://')) continue;
      const answer = await fetch(new URL(href, `${world.server.url}/docs/${page}`));
      expect({ href, status: answer.status }).toEqual({ href, status: 200 });
      const [, chapter] = href.split('#');
      if (chapter !== undefined) expect(await answer.text()).toContain(` id="${chapter}"`);
    }
  });
});
