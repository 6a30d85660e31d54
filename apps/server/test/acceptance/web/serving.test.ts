import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { rawRequest } from '../support/raw.ts';
import { removeFolder, scratchFolder, startServer } from '../support/server.ts';
import { uuid } from '../support/shapes.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

type Headers = Readonly<Record<string, string>>;

/** The answer as it was sent, without decoding its body. */
async function get(path: string, headers: Headers = {}, method = 'GET', { server }: Pick<World, 'server'> = world) {
  const response = await fetch(`${server.url}${path}`, { method, headers, decompress: false, redirect: 'manual' });
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}

const textOf = ({ bytes }: { readonly bytes: Uint8Array }): string => new TextDecoder().decode(bytes);

const PAGES = ['/', '/folders/some-folder', '/media/some-item', '/posts', '/best-times', '/trash', '/people'];

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

/** The absolute paths of the assets to which the page refers. */
const filesOf = (html: string): string[] =>
  Array.from(html.matchAll(/(?:src|href)="(?:\.{0,2}\/)*(assets\/[^"]+)"/g), ([, path]) => `/${path}`);

const filesOfPage = async (ending: string): Promise<string[]> =>
  filesOf(textOf(await get('/', { accept: BROWSER }))).filter((path) => path.endsWith(ending));

describe('the page', () => {
  test.each([
    ['a browser', BROWSER, true],
    ['a client that accepts any type', '*/*', true],
    ['a client that accepts text', 'text/*;q=0.1', true],
    ['a client that prefers JSON to any other type', 'application/json, text/plain, */*', true],
    ['a client that accepts JSON', 'application/json', false],
    ['a client that accepts several types of JSON', 'application/problem+json, application/json;q=0.5', false],
    ['a client that accepts images', 'image/png', false],
    ['a client that accepts anything but HTML', 'text/html;q=0, */*', false],
  ])('is served only to clients that accept HTML: %s', async (_, accept, isPage) => {
    for (const path of PAGES) {
      const reply = await get(path, { accept });
      const type = reply.headers.get('content-type');
      expect([path, reply.status, type, reply.headers.get('vary')]).toEqual(
        isPage
          ? [path, 200, 'text/html; charset=utf-8', 'Accept']
          : [path, 404, 'application/json;charset=utf-8', 'Accept'],
      );
      if (isPage) expect(textOf(reply)).toStartWith('<!doctype html>');
      else expect(textOf(reply)).toBe('{"message":"Not found."}');
    }
  });

  test('is served to HEAD and to clients without an Accept header, and other methods get 405', async () => {
    const { port } = world.server;
    const bare = await rawRequest(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(bare?.text).toStartWith('<!doctype html>');
    const head = await get('/posts', {}, 'HEAD');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(Number(head.headers.get('content-length'))).toBe((await get('/posts')).bytes.length);
    for (const path of [...PAGES, '/assets/x.js']) {
      const { status, headers } = await get(path, {}, 'POST');
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  test('is also the 404 response for browsers, while other clients get JSON', async () => {
    for (const path of ['/folders', '/folders/a/b', '/media', '/best-times/x', '/index.html', '/favicon.ico']) {
      const reply = await get(path, { accept: BROWSER });
      expect([path, reply.status, textOf(reply).slice(0, 15)]).toEqual([path, 404, '<!doctype html>']);
      expect(reply.headers.get('x-request-id')).toMatch(uuid);
      expect(filesOf(textOf(reply)).length).toBeGreaterThan(0);
      expect((await get(path, { accept: BROWSER }, 'HEAD')).bytes.length).toBe(0);
      expect(textOf(await get(path, { accept: '*/*' }))).toBe('{"message":"Not found."}');
    }
    for (const path of ['/v1/none', '/files/none', '/assets/none.js', '/docs/none']) {
      const { status, headers } = await get(path, { accept: BROWSER });
      expect([path, status, headers.get('content-type')?.includes('html') ?? false]).toEqual([path, 404, false]);
    }
  });

  test("may load only the service's own files, is never cached, and has a new nonce each time", async () => {
    const replies = await Promise.all([get('/'), get('/'), get('/folders/x')]);
    const nonces = replies.map((reply) => {
      const policy = reply.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /'nonce-([\w+/]{22}==)'/.exec(policy) ?? [];
      // The policy may also contain the origin of a bucket, and the origin of PUBLIC_URL if the page was opened under a
      // different URL.
      const others = '(?: https?://[\\w.:-]+)*';
      const expected = [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce.replaceAll('+', '\\+')}'`,
        `img-src 'self'${others} data: blob:`,
        `media-src 'self'${others} blob:`,
        `connect-src 'self'${others}`,
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ];
      expect(policy).toMatch(new RegExp(`^${expected.join('; ')}$`));
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('referrer-policy')).toBe('same-origin');
      expect(reply.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      const html = textOf(reply);
      expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
      expect(html).not.toMatch(
        /CSP_NONCE|postshelf-sign-in-with|<style|\son\w+=|style=|(?:src|href)="(?:https?:)?\/\//,
      );
      return nonce;
    });
    expect(new Set(nonces).size).toBe(replies.length);
  });

  test('refers to existing files from every path, with at most 250 KB of JavaScript', async () => {
    for (const path of [...PAGES, '/folders/x/']) {
      const html = textOf(await get(path));
      const files = Array.from(html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g), ([, file = '']) => file);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        const { pathname } = new URL(file, `${world.server.url}${path}`);
        expect([path, pathname, (await get(pathname, {}, 'HEAD')).status]).toEqual([path, pathname, 200]);
      }
    }
    const heads = (await filesOfPage('.js')).map((path) => get(path, { 'accept-encoding': 'br' }, 'HEAD'));
    const lengths = (await Promise.all(heads)).map(({ headers }) => Number(headers.get('content-length')));
    expect(lengths.reduce((sum, each) => sum + each, 0)).toBeWithin(1_000, 250_000);
  });
});

describe('the files of the page', () => {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync };

  test.each([
    ['gzip, deflate, br', 'br'],
    ['br;q=0.2, gzip', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['zstd', null],
    ['identity', null],
    ['identity, br;q=0.5', null],
    ['br;q=0, gzip;q=0', null],
    ['*;q=0', null],
    ['br;q=x', null],
  ] as const)('with Accept-Encoding: %s are sent with the Content-Encoding %p', async (accepted, coding) => {
    for (const path of [...(await filesOfPage('.js')), ...(await filesOfPage('.css'))]) {
      const headers = { 'accept-encoding': accepted };
      const sent = await get(path, headers);
      const plain = await get(path, { 'accept-encoding': 'identity' });
      // Compression doesn't make tiny files smaller.
      if (plain.bytes.length < 200) continue;
      expect([sent.status, sent.headers.get('content-encoding')]).toEqual([200, coding]);
      expect(sent.headers.get('content-length')).toBe(String(sent.bytes.length));
      expect(Bun.hash(coding === null ? sent.bytes : decode[coding](sent.bytes))).toBe(Bun.hash(plain.bytes));
      if (coding !== null) expect(sent.bytes.length).toBeLessThan(plain.bytes.length);

      const head = await get(path, headers, 'HEAD');
      for (const name of ['content-length', 'content-type', 'content-encoding', 'etag', 'vary', 'cache-control'])
        expect([name, head.headers.get(name)]).toEqual([name, sent.headers.get(name)]);
      expect(sent.headers.get('content-type')).toStartWith(path.endsWith('.js') ? 'text/javascript' : 'text/css');
      expect(sent.headers.get('vary')).toBe('Accept-Encoding');
      expect(sent.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(sent.headers.get('x-content-type-options')).toBe('nosniff');

      const etag = sent.headers.get('etag') ?? '';
      expect(etag !== plain.headers.get('etag')).toBe(coding !== null);
      const again = await get(path, { ...headers, 'if-none-match': `"other", ${etag}` });
      expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
      expect((await get(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  test('are the only files below /assets', async () => {
    const [script = ''] = await filesOfPage('.js');
    const paths = ['/assets/', '/assets', '/assets/x.js', `${script}.br`, `${script}/`, '/assets/%2e%2e/index.html'];
    for (const path of [...paths, script.replace('assets/', 'assets%2f'), '/assets/__proto__'])
      expect([path, (await get(path)).status, textOf(await get(path))]).toEqual([
        path,
        404,
        '{"message":"Not found."}',
      ]);
  });
});

test('WEB=false serves neither the page nor its files', async () => {
  const folder = scratchFolder();
  const server = await startServer(folder, { WEB: 'false' });
  try {
    for (const path of [...PAGES, ...(await filesOfPage('.js'))]) {
      const reply = await get(path, { accept: BROWSER }, 'GET', { server });
      expect([path, reply.status, textOf(reply)]).toEqual([path, 404, '{"message":"Not found."}']);
    }
    expect((await get('/docs', {}, 'GET', { server })).status).toBe(200);
  } finally {
    await server.end();
    removeFolder(folder);
  }
});

test('the page may load media from PUBLIC_URL and the bucket, and send files there', async () => {
  const bucket = {
    S3_BUCKET: 'pictures',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_CLIENT_ENDPOINT: 'https://store.example',
  };
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret', S3_PUBLIC_URL: 'https://cdn.example/media' };
  const folder = scratchFolder();
  const server = await startServer(folder, { ...bucket, ...keys, PUBLIC_URL: 'https://media.example/shelf' });
  try {
    const policy = (await get('/', {}, 'GET', { server })).headers.get('content-security-policy');
    const origins = "'self' https://media.example https://pictures.store.example https://cdn.example";
    for (const directive of [`img-src ${origins} data: blob:`, `media-src ${origins} blob:`, `connect-src ${origins}`])
      expect(policy?.split('; ')).toContain(directive);
    expect(policy).not.toContain('127.0.0.1');
  } finally {
    await server.end();
    removeFolder(folder);
  }
});
