import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { makeBucket, openS3Proxy, type RealS3, realS3, type S3Proxy } from '@postshelf/testing/servers/s3';
import { figures } from '../operate/support/figures.ts';
import { issue } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { at, stringAt } from '../support/reply.ts';
import { settingsOf } from '../support/s3.ts';
import type { Server } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { BROWSER, FETCHERS, type Fetcher } from './support/fetchers.ts';

const picture = fixtures.jpeg();
const video = fixtures.mp4(20);

/** The parts of a video that is larger than the buffers of a connection. */
const { head, zeros, tail } = fixtures.bigMp4(24 * 1024 * 1024);
const LARGE = Buffer.concat([head, new Uint8Array(zeros), tail]);

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Fetches a link as the program does, without following redirects. Checks the status, headers and bytes of each
 * response.
 */
async function expectFetched(link: string, bytes: Uint8Array, type: string, { headers, asksFirst }: Fetcher) {
  const common = { 'content-type': type, 'accept-ranges': 'bytes' };
  if (asksFirst) {
    const head = await fetch(link, { method: 'HEAD', headers, redirect: 'manual' });
    expect<Record<string, unknown>>({ status: head.status, ...headersOf(head) }).toEqual({
      status: 200,
      ...common,
      'content-length': String(bytes.length),
      'content-range': null,
    });
  }
  const response = await fetch(link, { headers, redirect: 'manual' });
  const body = new Uint8Array(await response.arrayBuffer());
  const last = headers.Range ? Math.min(524_288, bytes.length - 1) : bytes.length - 1;
  expect<Record<string, unknown>>({ status: response.status, ...headersOf(response) }).toEqual({
    status: headers.Range ? 206 : 200,
    ...common,
    'content-length': String(last + 1),
    'content-range': headers.Range ? `bytes 0-${last}/${bytes.length}` : null,
  });
  expect(hash(body)).toBe(hash(bytes.subarray(0, last + 1)));
  expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/);
  expect(response.headers.get('content-encoding')).toBeNull();
}

const headersOf = ({ headers }: Response) =>
  Object.fromEntries(
    ['content-type', 'accept-ranges', 'content-length', 'content-range'].map((name) => [name, headers.get(name)]),
  );

function describeFetching(get: () => { readonly links: readonly string[]; readonly preview: string }): void {
  test.each(FETCHERS)('$name gets images, videos, covers and previews without a redirect', async (fetcher) => {
    const { links, preview } = get();
    const [ofPicture = '', ofVideo = '', ofCover = ''] = links;
    await expectFetched(ofPicture, picture, 'image/jpeg', fetcher);
    await expectFetched(ofVideo, video, 'video/mp4', fetcher);
    for (const link of [ofCover, preview]) {
      const response = await fetch(link, { headers: { ...fetcher.headers, Range: '' }, redirect: 'manual' });
      const { byteLength } = await response.arrayBuffer();
      expect([response.status, response.headers.get('content-length')]).toEqual([200, String(byteLength)]);
    }
  });

  test('with ?download, browsers and other programs save the file under its name, also from the store', async () => {
    const [link = ''] = get().links;
    const download = `${link}${link.includes('?') ? '&' : '?'}download`;
    for (const headers of [BROWSER, {}]) {
      const response = await fetch(download, { headers });
      const body = new Uint8Array(await response.arrayBuffer());
      expect([response.status, response.headers.get('content-disposition'), hash(body)]).toEqual([
        200,
        `attachment; filename="a.jpg"; filename*=UTF-8''a.jpg`,
        hash(picture),
      ]);
    }
    const shown = await fetch(link, { method: 'HEAD' });
    expect(shown.headers.get('content-disposition')).toBeNull();
  });

  test('range and conditional requests are answered as in RFC 9110, even for a range beyond the end', async () => {
    const [, link = ''] = get().links;
    const etag = (await fetch(link, { method: 'HEAD' })).headers.get('etag') ?? '';
    const statuses = [
      [{ Range: 'bytes=100-199' }, 206, '100'],
      [{ Range: 'bytes=-5' }, 206, '5'],
      [{ Range: 'bytes=100-199', 'If-Range': etag }, 206, '100'],
      [{ Range: 'bytes=100-199', 'If-Range': '"other"' }, 200, String(video.length)],
      [{ Range: 'bytes=0-0,5-9' }, 200, String(video.length)],
    ] as const;
    const head = await fetch(link, { method: 'HEAD', headers: { Range: 'bytes=0-9' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(video.length)]);

    for (const [headers, status, length] of statuses) {
      const response = await fetch(link, { headers });
      await response.arrayBuffer();
      expect([headers, response.status, response.headers.get('content-length')]).toEqual([headers, status, length]);
    }
    expect((await fetch(link, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    const beyond = await fetch(link, { headers: { Range: `bytes=${video.length}-` } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${video.length}`]);
  });
}

/** Stores an image, a video with its cover, and a preview of the image. */
async function store(world: World) {
  const items = [await world.storeOne(file('a.jpg', picture)), await world.storeOne(file('b.mp4', video))];
  const [ofPicture, ofVideo] = items as [MediaItem, MediaItem];
  const { json } = await world.call(`GET /media_contents/${ofPicture.id}?include=details`);
  const preview = stringAt(json, 'data', 'details', 'previews', 0, 'link');
  return { items, links: [ofPicture.link, ofVideo.link, ofVideo.thumbnail?.link ?? ofPicture.link], preview };
}

describe('fetchers of networks, with files on disk', () => {
  let world: World;
  let stored: Awaited<ReturnType<typeof store>>;
  beforeAll(async () => {
    world = await World.open(onDisk);
    stored = await store(world);
  });
  afterAll(() => world.close());
  describeFetching(() => stored);

  test('fetch_check reports their responses, for all targets or only the requested ones', async () => {
    const [picture, video] = stored.items;
    const check = (id: string | undefined, json: object = {}) =>
      world.call(`POST /media_contents/${id}/fetch_check`, { json });
    const { status, json } = await check(picture?.id);
    expect(status).toBe(200);
    const found = at(json, 'data') as { target: string; ok: boolean }[];
    expect(found.length).toBeGreaterThan(12);
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    const targets = ['tiktok.post', 'instagram.reel', 'tiktok.post'];
    const some = await check(video?.id, { targets });
    const facts = {
      ok: true,
      redirects: [],
      content_type: 'video/mp4',
      content_length: video?.size,
      robots: 'allowed',
    };
    expect(at(some.json, 'data')).toEqual([
      {
        ...facts,
        target: 'tiktok.post',
        status: 200,
        seconds: expect.any(Number),
        message: expect.stringContaining('developer portal'),
      },
      {
        ...facts,
        target: 'instagram.reel',
        status: 206,
        seconds: expect.any(Number),
        message: 'Instagram can fetch the file.',
      },
    ]);
    // The server runs checks one at a time, even if they are requested concurrently.
    const many = await Promise.all(Array.from({ length: 4 }, () => check(picture?.id, { targets: ['x.post'] })));
    expect(many.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    const unknown = await check(picture?.id, { targets: ['myspace.post'] });
    expect([unknown.status, Object.keys(Object(at(unknown.json, 'errors')))]).toEqual([422, ['targets.0']]);
  });

  test('fetch_check warns about an unreachable link, and refuses an item that is not active', async () => {
    const server = await world.startAnother(undefined, { PUBLIC_URL: 'http://127.0.0.1:1' });
    const send = async (id: string | undefined) => {
      const response = await fetch(`${server.url}/v1/media_contents/${id}/fetch_check`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${world.tokens.all}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ targets: ['threads.post'] }),
      });
      return { status: response.status, json: await response.json() };
    };
    const { status, json } = await send(stored.items[0]?.id);
    expect({ status, one: at(json, 'data', 0) }).toMatchObject({
      status: 200,
      one: {
        ok: false,
        status: null,
        message:
          'The server at 127.0.0.1 refused the connection. This is only known from this server: Threads may be able to reach it.',
      },
    });
    const announced = await issue(world, picture);
    const refused = await send(announced.id);
    expect([refused.status, Object.keys(Object(at(refused.json, 'errors')))]).toEqual([422, ['media_content']]);
    await server.end();
  });

  test('robots.txt allows them to fetch files, and disallows everything else', async () => {
    const url = `${world.ids.url}/robots.txt`;
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const [allowed = '', others = ''] = (await response.text()).split('\n\n');
    for (const token of [
      'facebookexternalhit',
      'TikTokSpider',
      'Twitterbot',
      'LinkedInBot',
      'Pinterestbot',
      'Mastodon',
    ])
      expect(allowed).toContain(`User-agent: ${token}\n`);
    expect(allowed).toEndWith('Allow: /files/\nDisallow: /');
    expect(others).toBe('User-agent: *\nAllow: /calendars/\nDisallow: /\n');
    const etag = response.headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });
});

const s3 = await realS3('files for networks from a private bucket');

describe.skipIf(!s3)('fetchers of networks, with files in a private bucket', () => {
  let world: World;
  let other: Server;
  let proxy: S3Proxy;
  let remove: () => Promise<void>;
  let stored: Awaited<ReturnType<typeof store>>;
  let asked: string[] = [];

  beforeAll(async () => {
    const made = await makeBucket(s3 as RealS3);
    remove = made.remove;
    proxy = await openS3Proxy((s3 as RealS3).endpoint);
    proxy.decide = ({ method, url }) => {
      asked.push(`${method} ${url}`);
      return 'pass';
    };
    const settings = { ...settingsOf(s3 as RealS3, made.bucket), S3_ENDPOINT: proxy.endpoint };
    world = await World.openAlone(settings);
    other = await world.startAnother();
    stored = await store(world);
  });
  afterAll(async () => {
    await other.end();
    await world.close();
    await proxy.close();
    await remove();
  });

  describe('at one server', () => describeFetching(() => stored));
  describe('at another server of the library', () => {
    const there = (link: string): string => link.replace(world.ids.url ?? '', other.url);
    describeFetching(() => ({ links: stored.links.map(there), preview: there(stored.preview) }));
  });

  test('only browsers are redirected, unless S3_REDIRECT says otherwise', async () => {
    const [link = ''] = stored.links;
    const ask = async (url: string, headers: Record<string, string>) =>
      (await fetch(url, { headers, redirect: 'manual' })).status;
    expect([await ask(link, BROWSER), await ask(link, {})]).toEqual([302, 200]);
    for (const [S3_REDIRECT, statuses] of [
      ['true', [302, 302]],
      ['false', [200, 200]],
    ] as const) {
      const server = await world.startAnother(undefined, { S3_REDIRECT });
      const url = link.replace(world.ids.url ?? '', server.url);
      expect([await ask(url, BROWSER), await ask(url, {})]).toEqual([...statuses]);
      const checked = await fetch(`${server.url}/v1/media_contents/${stored.items[0]?.id}/fetch_check`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${world.tokens.all}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ targets: ['tiktok.post', 'instagram.feed'] }),
      });
      const redirects = S3_REDIRECT === 'true' ? [expect.stringMatching(/^http:[^?]+$/)] : [];
      expect(await checked.json()).toMatchObject({
        data: [
          { ok: S3_REDIRECT === 'false', status: 200, redirects },
          { ok: true, redirects },
        ],
      });
      await server.end();
    }
  });

  test('pages whose origin is in CORS_ORIGINS get the file itself, unless the bucket lets all pages read it', async () => {
    const [link = ''] = stored.links;
    const page = 'https://app.example.com';
    for (const [CORS_ORIGINS, origin, status] of [
      [page, page, 200],
      [page, 'https://other.example.com', 302],
      ['*', page, 302],
    ] as const) {
      const server = await world.startAnother(undefined, { CORS_ORIGINS });
      const headers = { ...BROWSER, 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'cross-site', Origin: origin };
      const response = await fetch(link.replace(world.ids.url ?? '', server.url), { headers, redirect: 'manual' });
      expect([CORS_ORIGINS, origin, response.status]).toEqual([CORS_ORIGINS, origin, status]);
      if (status === 200) expect(response.headers.get('access-control-allow-origin')).toBe(page);
      await server.end();
    }
  });

  test('a file that is fetched many times is read from the store once', async () => {
    const { link, full_name } = await world.storeOne(file('again.mp4', video));
    asked = [];
    await Promise.all(Array.from({ length: 8 }, async () => (await fetch(link)).arrayBuffer()));
    await (await fetch(link)).arrayBuffer();
    expect(asked.filter((line) => line.startsWith('GET') && line.includes(full_name))).toHaveLength(1);
  });

  test('a stalled client holds no connection to the store, and a client that disconnects frees its slot', async () => {
    const { link } = await world.storeOne(file('large.mp4', LARGE));
    const path = new URL(link).pathname;
    const readers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const connection = await openRaw(world.server.port);
        await connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        return connection;
      }),
    );
    const inUse = async (kind: string) => (await figures(world)).get(`postshelf_work_in_use{kind="${kind}"}`);
    await until('the copy is made', async () => (await inUse('reads')) === 0);
    expect(await inUse('streams')).toBe(0);
    expect(hash(new Uint8Array(await (await fetch(link)).arrayBuffer()))).toBe(hash(LARGE));
    for (const reader of readers) reader.hangUp();

    // The proxy holds back the service's request to the store. When the reader disconnects, its slot must be freed
    // although no byte has arrived.
    const gone = await world.storeOne(file('gone.mp4', LARGE));
    let pass: (decision: 'pass') => void = () => undefined;
    const decide = proxy.decide;
    proxy.decide = (request) =>
      request.method === 'GET' && request.url.includes(gone.full_name)
        ? new Promise((resolve) => {
            pass = resolve;
          })
        : 'pass';
    const reader = await openRaw(world.server.port);
    await reader.send(`GET ${new URL(gone.link).pathname} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until('the copy has started', async () => (await inUse('reads')) === 1);
    reader.hangUp();
    await until('its slot is free', async () => (await inUse('reads')) === 0);
    proxy.decide = decide;
    pass('pass');
  });

  test('files are streamed if the disk has no room for copies', async () => {
    const server = await world.startAnother(undefined, { MIN_FREE_DISK_MB: '900000000', S3_COPIES_MB: '1' });
    const [, link = ''] = stored.links;
    const response = await fetch(link.replace(world.ids.url ?? '', server.url));
    expect(hash(new Uint8Array(await response.arrayBuffer()))).toBe(hash(video));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    await server.end();
  });

  describe('a file streamed from a bucket (S3_REDIRECT=false)', () => {
    // Bun drops the Content-Length of a streamed response (docs/decisions/25-bun.md). If Bun kept it, the service would
    // need no copies of files on its disk.
    test('is sent to a browser in chunks, without a Content-Length, if it is a large video', async () => {
      const server = await world.startAnother(undefined, { S3_REDIRECT: 'false' });
      const { link } = await world.storeOne(file('large.mp4', LARGE));
      const headers = { 'Sec-Fetch-Dest': 'video' };
      const response = await fetch(link.replace(world.ids.url ?? '', server.url), { headers });
      expect(hash(new Uint8Array(await response.arrayBuffer()))).toBe(hash(LARGE));
      expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
      await server.end();
    });
  });

  describe('with signed links', () => {
    let signed: { links: string[]; preview: string };
    beforeAll(async () => {
      await world.command(['workspace', 'update', world.ids.workspace ?? '', '--links', 'signed']);
      const ids = stored.items.map(({ id }) => id);
      const { json } = await world.call('POST /workspaces/{workspace}/links', { json: { ids, expires_in: 3600 } });
      signed = {
        links: [
          stringAt(json, 'data', 0, 'link'),
          stringAt(json, 'data', 1, 'link'),
          String(at(json, 'data', 1, 'thumbnail', 'link') ?? stringAt(json, 'data', 0, 'link')),
        ],
        preview: stringAt(json, 'data', 0, 'previews', 0, 'link'),
      };
    });
    describeFetching(() => signed);

    test('fetch_check uses a signed link', async () => {
      const { json } = await world.call(`POST /media_contents/${stored.items[1]?.id}/fetch_check`, { json: {} });
      const found = at(json, 'data') as { ok: boolean }[];
      expect(found.filter(({ ok }) => !ok)).toEqual([]);
      expect(world.server.log()).not.toContain('signature');
    });

    test('a link without its signature is answered 403', async () => {
      for (const fetcher of FETCHERS) {
        const { status } = await fetch(stored.links[0] ?? '', { headers: fetcher.headers, redirect: 'manual' });
        expect([fetcher.name, status]).toEqual([fetcher.name, 403]);
      }
    });
  });
});
