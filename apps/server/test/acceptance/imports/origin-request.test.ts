import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { World } from '../support/world.ts';
import { inTurn, redirect, serve, status } from './support/answers.ts';
import { accepted, expectActive, importUrl, loopback, settled, stored, upload } from './support/imports.ts';
import { Origin, type Page, type Received } from './support/origin.ts';

setDefaultTimeout(60_000);

let world: World;
let origin: Origin;
/** Stands in every variable that programs take their proxy from; only a server that does so reaches it. */
let proxy: Origin;

beforeAll(async () => {
  [origin, proxy] = await Promise.all([Origin.open(), Origin.open()]);
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const proxies = Object.fromEntries(names.map((name) => [name, proxy.base()]));
  world = await World.open({ ...loopback, ...proxies, NO_PROXY: '', no_proxy: '' });
});

afterAll(async () => {
  origin.close();
  proxy.close();
  await world.close();
});

const headerOf = ({ headers }: Received, name: string) => headers.find(([key]) => key === name)?.[1];

/** "no cookies, no `Authorization`, no proxy variables, identity encoding only", and nothing of the client or of us. */
function expectDiscreet(page: Page): void {
  expect(page.requests.length).toBeGreaterThan(0);
  for (const request of page.requests) {
    expect(request.method).toBe('GET');
    expect(headerOf(request, 'host')).toBe(new URL(page.url).host);
    expect(headerOf(request, 'accept-encoding')).toBe('identity');
    const names = request.headers.map(([name]) => name);
    expect(names).toEqual([...new Set(names)]);
    const harmless = ['accept', 'accept-encoding', 'accept-language', 'connection', 'host', 'user-agent'];
    expect(names.filter((name) => !harmless.includes(name))).toEqual([]);
    const everything = JSON.stringify(request);
    for (const token of Object.values(world.tokens)) expect(everything).not.toContain(token);
    for (const secret of [world.ids.workspace, world.dataDir, 'chocolate', 'hunter2']) {
      expect(everything).not.toContain(String(secret));
    }
  }
}

/** What a client may send along, none of which is the origin's business. */
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

function importAsClient(url: string) {
  return world.call(upload, { headers: clientHeaders, body: JSON.stringify({ url }) });
}

describe('What the origin gets to see', () => {
  test('of an image: one GET with the bare necessities', async () => {
    const page = origin.page('beach.jpg', serve(fixtures.jpeg()));
    stored(await importAsClient(page.url));
    expect(page.requests).toHaveLength(1);
    expectDiscreet(page);
  });

  test('of a video, and of the tries that follow', async () => {
    const page = origin.page('film.mp4', inTurn(status(503), status(503), serve(fixtures.mp4())));
    const item = accepted(await importAsClient(page.url));
    await expectActive(world, await settled(world, item), fixtures.mp4());
    expect(page.requests).toHaveLength(3);
    expectDiscreet(page);
  });

  test('of redirects, to another host too: no cookie that was set on the way, no Referer', async () => {
    const other = await Origin.open();
    try {
      const end = other.page('end.jpg', serve(fixtures.jpeg()));
      const cookies = { 'Set-Cookie': 'tracking=chocolate; Path=/', 'Referrer-Policy': 'unsafe-url' };
      const second = origin.page('second.jpg', redirect(end.url, 302, cookies));
      const first = origin.page('first.jpg', redirect(second.path, 307, cookies));
      stored(await importAsClient(first.url));
      for (const page of [first, second, end]) expectDiscreet(page);
    } finally {
      other.close();
    }
  });

  test('of cookies that an earlier answer set: nothing', async () => {
    const page = origin.page('beach.jpg', serve(fixtures.jpeg(), { headers: { 'Set-Cookie': 'a=chocolate' } }));
    stored(await importAsClient(page.url));
    stored(await importAsClient(page.url));
    expect(page.requests).toHaveLength(2);
    expectDiscreet(page);
  });

  test('of an origin that asks for a password: nothing but the same request, once', async () => {
    const page = origin.page('film.mp4', status(401, { 'WWW-Authenticate': 'Basic realm="x"' }));
    const item = accepted(await importAsClient(page.url));
    expect((await settled(world, item)).status).toBe('failed');
    expect(page.requests).toHaveLength(1);
    expectDiscreet(page);
  });

  test('the target is the path and the query as they were given; the fragment stays here', async () => {
    const page = origin.page('photo%20of%2Fit.jpg', serve(fixtures.jpeg()));
    stored(await importUrl(world, `${page.url}?a=%26&b=c+d&&e#hunter2`));
    expect(page.requests.map(({ target }) => target)).toEqual([`${page.path}?a=%26&b=c+d&&e`]);
    expectDiscreet(page);
  });

  test('a line break in the URL makes no header', async () => {
    const page = origin.page('beach.jpg', serve(fixtures.jpeg()));
    for (const smuggled of [
      '\r\nX-Evil: 1',
      '%0d%0aX-Evil:%201',
      '?x=\r\n\r\nGET /evil HTTP/1.1\r\n',
      ' HTTP/1.1\r\nX-Evil: 1',
    ]) {
      await importUrl(world, page.url + smuggled);
    }
    for (const request of [...page.requests, ...origin.strays]) {
      expect(headerOf(request, 'x-evil')).toBeUndefined();
      expect(request.target).not.toMatch(/^\/evil/);
    }
  });
});

test('the proxy of the environment was never asked', () => {
  expect(proxy.connections).toBe(0);
});
