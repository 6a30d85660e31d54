import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import type { Reply } from '../support/reply.ts';
import type { MediaItem } from '../support/shapes.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;
let item: MediaItem;
const bytes = fixtures.jpeg();
const size = bytes.length;

beforeAll(async () => {
  world = await World.open();
  item = await world.storeOne(file('beach.jpg', bytes));
  world.ids.name = item.full_name;
  world.ids.media = item.id;
  world.ids.etag = (await world.call('GET /files/{name}')).headers.get('etag') ?? '';
});

afterAll(() => world.close());

function expectBytes(wanted: Uint8Array) {
  return (reply: Reply) => expect(Buffer.compare(Buffer.from(reply.bytes), Buffer.from(wanted))).toBe(0);
}

const get = 'GET /files/{name}';
const lengthOfGet = (bytes: number) => ({ 'content-length': String(bytes) });
const always = {
  'cache-control': /(^|[ ,])immutable($|[ ,])/,
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox allow-same-origin",
  'accept-ranges': 'bytes',
  etag: /^"[\x21\x23-\x7e]+"$/,
} as const;

describe('serving a file', () => {
  table(
    () => world,
    [
      {
        name: 'answers GET without a token, cacheable forever and sandboxed',
        send: get,
        token: null,
        status: 200,
        after: expectBytes(bytes),
        replyHeaders: { ...always, 'content-type': 'image/jpeg', ...lengthOfGet(size) },
      },
      {
        name: 'answers HEAD with the same headers and no body',
        send: 'HEAD /files/{name}',
        token: null,
        status: 200,
        after: expectBytes(new Uint8Array()),
        replyHeaders: { ...always, 'content-type': 'image/jpeg', 'content-length': String(size), etag: '{etag}' },
      },
    ],
  );

  const types: readonly [string, () => Uint8Array, string][] = [
    ['a.mov', fixtures.mov, 'video/quicktime'],
    ['a.html', fixtures.png, 'image/png'],
  ];
  for (const [name, make, type] of types) {
    test(`sends a file uploaded as ${name} with the type ${type}`, async () => {
      const stored = await world.storeOne(file(name, make()));
      const response = await fetch(stored.link);
      await response.arrayBuffer();
      expect(response.headers.get('content-type')).toBe(type);
    });
  }
});

// Parsing of ranges is tested in packages/api/test/operations/media/byte-range.test.ts.
describe('a range request', () => {
  const partial = (range: string, first: number, last: number): Row => ({
    name: `is answered 206 for ${range}`,
    send: get,
    headers: { range },
    status: 206,
    replyHeaders: {
      ...always,
      'content-type': 'image/jpeg',
      'content-range': `bytes ${first}-${last}/${size}`,
      ...lengthOfGet(last - first + 1),
    },
    after: expectBytes(bytes.subarray(first, last + 1)),
  });
  table(
    () => world,
    [partial('bytes=0-9', 0, 9), partial('bytes=10-', 10, size - 1), partial('bytes=-10', size - 10, size - 1)],
  );

  table(
    () => world,
    [
      {
        name: 'is answered 416 beyond the file',
        send: get,
        headers: { range: `bytes=${size}-` },
        status: 416,
        message: 'The requested range is not satisfiable.',
        replyHeaders: { 'content-range': `bytes */${size}`, 'cache-control': 'no-store' },
      },
      ...['lines=0-9', `bytes=${Array.from({ length: 2000 }, () => '0-').join(',')}`].map(
        (range): Row => ({
          name: `is answered with the whole file for ${range.slice(0, 20)} (RFC 9110 §14.2)`,
          send: get,
          headers: { range },
          status: 200,
          after: expectBytes(bytes),
        }),
      ),
      {
        name: 'is answered without a body if it is HEAD',
        send: 'HEAD /files/{name}',
        headers: { range: 'bytes=0-9' },
        status: 200,
        replyHeaders: lengthOfGet(size),
        after: (reply) => {
          expect(reply.bytes).toHaveLength(0);
          expect(reply.headers.has('content-range')).toBe(false);
        },
      },
    ],
  );
});

describe('a conditional request', () => {
  test('is answered 304 if If-None-Match matches, even with a range (RFC 9110 §13.2.2)', async () => {
    const etag = String(world.ids.etag);
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await world.call(get, { headers: { 'if-none-match': value, range: 'bytes=0-9' } });
      expect(`${value} ${reply.status}`).toBe(`${value} 304`);
      expect(reply.bytes.length).toBe(0);
      expect(reply.headers.get('etag')).toBe(etag);
      expect(reply.headers.get('cache-control')).toMatch(always['cache-control']);
    }
  });

  const others: readonly (readonly [string, Record<string, string>])[] = [
    ['If-None-Match has another ETag', { 'if-none-match': '"other"' }],
    ['If-Range has another ETag', { 'if-range': '"other"', range: 'bytes=0-9' }],
    ['If-Range has a weak ETag', { 'if-range': 'W/{etag}', range: 'bytes=0-9' }],
  ];
  for (const [condition, headers] of others) {
    test(`is answered with the whole file if ${condition}`, async () => {
      const reply = await world.call(get, { headers: world.fill(headers) });
      expect(reply.status).toBe(200);
      expectBytes(bytes)(reply);
    });
  }

  test('is answered with the range if If-Range has the current ETag', async () => {
    const headers = { 'if-range': String(world.ids.etag), range: 'bytes=0-9' };
    expect((await world.call(get, { headers })).status).toBe(206);
  });
});
