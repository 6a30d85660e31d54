import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';
import { inTurn, redirect, serve, status } from './support/answers.ts';
import { selfSigned } from './support/certificates.ts';
import {
  accepted,
  expectActive,
  expectFailed,
  importUrl,
  loopback,
  settled,
  stored,
  upload,
} from './support/imports.ts';
import { Origin, type Page, type Received } from './support/origin.ts';

// packages/media/test/imports (request, tls) tests every line of a request and certificates of every kind.
// These tests check that no data of a client, the server or its environment reaches an origin.
const folder = scratchFolder();
let world: World;
let origin: Origin;
/** This origin has a certificate for `localhost` that the server trusts. */
let trusted: Origin;
/** This origin has a self-signed certificate that the server doesn't trust. */
let stranger: Origin;
/** The proxy that all proxy variables of the server's environment name. The server must not use it. */
let proxy: Origin;

beforeAll(async () => {
  const certificate = await selfSigned(folder, 'good', ['localhost']);
  [origin, proxy, trusted, stranger] = await Promise.all([
    Origin.open(),
    Origin.open(),
    Origin.open({ tls: certificate }),
    Origin.open({ tls: await selfSigned(folder, 'stranger', ['localhost', '127.0.0.1']) }),
  ]);
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  world = await World.open({
    ...loopback,
    ...Object.fromEntries(names.map((name) => [name, proxy.base()])),
    NO_PROXY: '',
    no_proxy: '',
    IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128',
    NODE_EXTRA_CA_CERTS: certificate.certPath,
  });
});

afterAll(async () => {
  expect(proxy.connections).toBe(0);
  for (const each of [origin, proxy, trusted, stranger]) each.close();
  await world.close();
  removeFolder(folder);
});

const headerOf = ({ headers }: Received, name: string) => headers.find(([key]) => key === name)?.[1];

/**
 * "no cookies, no `Authorization`, no proxy variables, identity encoding only", and no data of the client or of the
 * server.
 */
function expectDiscreet(page: Page, times: number): void {
  expect(page.requests).toHaveLength(times);
  for (const request of page.requests) {
    expect(request.method).toBe('GET');
    expect(headerOf(request, 'host')).toBe(new URL(page.url).host);
    expect(headerOf(request, 'accept-encoding')).toBe('identity');
    const names = request.headers.map(([name]) => name).sort();
    expect(names).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    const everything = JSON.stringify(request);
    for (const secret of [...Object.values(world.tokens), world.ids.workspace, world.dataDir, 'chocolate', 'hunter2']) {
      expect(everything).not.toContain(String(secret));
    }
  }
}

/** Headers that a client may send, none of which may reach the origin. */
const clientHeaders = {
  'content-type': 'application/json',
  cookie: 'session=chocolate',
  referer: 'http://client.example/hunter2',
  origin: 'http://client.example',
  'user-agent': 'hunter2/1.0',
  'accept-encoding': 'gzip, br',
  'x-forwarded-for': '203.0.113.7',
  'x-api-key': 'hunter2',
  'proxy-authorization': 'Basic hunter2',
  range: 'bytes=0-9',
  'if-none-match': '"hunter2"',
};

const importAsClient = (url: string) =>
  world.call(upload, { headers: clientHeaders, body: JSON.stringify({ url: `${url}#hunter2` }) });

describe('an origin gets only the data that a request needs', () => {
  const cookies = { 'Set-Cookie': 'tracking=chocolate; Path=/', 'Referrer-Policy': 'unsafe-url' };

  test('for a video with retries and redirects', async () => {
    const end = origin.page('end.mp4', inTurn(status(503, cookies), serve(fixtures.mp4(), { headers: cookies })));
    const second = origin.page('second.mp4', redirect(end.url, 302, cookies));
    const first = origin.page('first.mp4', redirect(second.path, 307, cookies));
    const item = accepted(await importAsClient(first.url));
    await expectActive(world, await settled(world, item), fixtures.mp4());
    for (const page of [first, second, end]) expectDiscreet(page, 2);
  });

  test('for an image, and for a file that needs a password', async () => {
    const image = origin.page('beach.jpg', serve(fixtures.jpeg(), { headers: cookies }));
    for (const _ of [1, 2]) stored(await importAsClient(image.url));
    expectDiscreet(image, 2);
    const closed = origin.page('film.mp4', status(401, { 'WWW-Authenticate': 'Basic realm="x"' }));
    expect((await settled(world, accepted(await importAsClient(closed.url)))).status).toBe('failed');
    expectDiscreet(closed, 1);
  });
});

describe('an import over TLS', () => {
  test.concurrent('succeeds if the certificate is trusted and names the host, even after a redirect from http', async () => {
    const image = trusted.page('beach.jpg', serve(fixtures.jpeg()));
    const hop = origin.page('hop.jpg', redirect(trusted.base('localhost') + image.path));
    await expectActive(world, stored(await importUrl(world, trusted.base('localhost') + image.path)), fixtures.jpeg());
    stored(await importUrl(world, hop.url));
    expect(image.requests).toHaveLength(2);
  });

  const rows: readonly [string, () => Origin, string][] = [
    ['a self-signed certificate', () => stranger, 'localhost'],
    ['a trusted certificate for another name', () => trusted, '127.0.0.1'],
  ];
  for (const [name, server, host] of rows) {
    test.concurrent(`with ${name} fails with a readable message before a request is sent`, async () => {
      const page = server().page('beach.jpg', serve(fixtures.jpeg()));
      const item = accepted(await importUrl(world, server().base(host) + page.path));
      await expectFailed(world, await settled(world, item), /certificate/);
      expect(page.requests).toEqual([]);
    });
  }
});
