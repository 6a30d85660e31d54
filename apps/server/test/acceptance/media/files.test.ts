import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import type { Reply } from '../support/reply.ts';
import type { MediaItem } from '../support/shapes.ts';
import { isChunked } from '../support/storage.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

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
const lengthOfGet = (bytes: number) => (isChunked ? {} : { 'content-length': String(bytes) });
const always = {
  'cache-control': /(^|[ ,])immutable($|[ ,])/,
  'x-content-type-options': 'nosniff',
  'content-security-policy': /(^|[ ;])sandbox($|[ ;])/,
  'accept-ranges': 'bytes',
  etag: /^"[\x21\x23-\x7e]+"$/,
} as const;

describe('A file is sent with its type, to be cached for ever, and sandboxed', () => {
  table(
    () => world,
    [
      {
        name: 'GET without a token',
        send: get,
        token: null,
        status: 200,
        after: expectBytes(bytes),
        replyHeaders: { ...always, 'content-type': 'image/jpeg', ...lengthOfGet(size) },
      },
      {
        name: 'HEAD has the same headers and no body',
        send: 'HEAD /files/{name}',
        token: null,
        status: 200,
        after: expectBytes(new Uint8Array()),
        replyHeaders: { ...always, 'content-type': 'image/jpeg', 'content-length': String(size), etag: '{etag}' },
      },
    ],
  );

  const types: readonly [string, () => Uint8Array, string][] = [
    ['a.png', fixtures.png, 'image/png'],
    ['a.gif', fixtures.gif, 'image/gif'],
    ['a.webp', fixtures.webp, 'image/webp'],
    ['a.mp4', fixtures.mp4, 'video/mp4'],
    ['a.mov', fixtures.mov, 'video/quicktime'],
    ['a.html', fixtures.png, 'image/png'],
  ];
  for (const [name, make, type] of types) {
    test(`${name} is ${type}`, async () => {
      const stored = await world.storeOne(file(name, make()));
      const response = await fetch(stored.link);
      await response.arrayBuffer();
      expect(response.headers.get('content-type')).toBe(type);
    });
  }
});

describe('Ranges', () => {
  const partial = (range: string, first: number, last: number): Row => ({
    name: range,
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
    [
      partial('bytes=0-9', 0, 9),
      partial('bytes=10-', 10, size - 1),
      partial('bytes=-10', size - 10, size - 1),
      partial(`bytes=-${size * 2}`, 0, size - 1),
      partial(`bytes=5-${size * 2}`, 5, size - 1),
      partial('bytes=5-99999999999999999999999', 5, size - 1),
    ],
  );

  table(
    () => world,
    [`bytes=${size}-`, `bytes=${size}-${size + 5}`, 'bytes=-0', 'bytes=99999999999999999999999-'].map(
      (range): Row => ({
        name: `${range}: 416`,
        send: get,
        headers: { range },
        status: 416,
        replyHeaders: { 'content-range': `bytes */${size}` },
      }),
    ),
  );

  table(
    () => world,
    ['bytes=abc', 'lines=0-9', 'bytes=1-2-3', 'bytes=0x1-5'].map(
      (range): Row => ({
        name: `${range} is no range (RFC 9110 §14.2): the whole file`,
        send: get,
        headers: { range },
        status: 200,
        after: expectBytes(bytes),
      }),
    ),
  );

  table(
    () => world,
    [
      {
        name: 'last before first is no range either, or unsatisfiable',
        send: get,
        headers: { range: 'bytes=9-5' },
        status: [200, 416],
      },
      {
        name: 'several ranges may be answered with the whole',
        send: get,
        headers: { range: 'bytes=0-1,4-5' },
        status: [200, 206],
        after: (reply) => {
          if (reply.status === 200) expectBytes(bytes)(reply);
          else expect(reply.headers.get('content-type')).toMatch(/^multipart\/byteranges/);
        },
      },
      {
        name: 'ten thousand ranges do no harm',
        send: get,
        headers: { range: `bytes=${Array.from({ length: 2000 }, () => '0-').join(',')}` },
        status: [200, 206, 416],
        after: (reply) => expect(reply.bytes.length).toBeLessThanOrEqual(size),
      },
      {
        name: 'HEAD with a range has no body',
        send: 'HEAD /files/{name}',
        headers: { range: 'bytes=0-9' },
        status: [200, 206],
        after: expectBytes(new Uint8Array()),
      },
    ],
  );
});

describe('Conditions', () => {
  const notModified = (name: string, value: string, more: Record<string, string> = {}): Row => ({
    name,
    send: get,
    headers: { 'if-none-match': value, ...more },
    status: 304,
    replyHeaders: { etag: '{etag}', 'cache-control': always['cache-control'] },
    after: expectBytes(new Uint8Array()),
  });
  test('the tag of the file: 304 without a body; so do weak, listed and *', async () => {
    const etag = String(world.ids.etag);
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, `"other",${etag} , "more"`, '*']) {
      const reply = await world.call(get, { headers: { 'if-none-match': value } });
      expect(`${value} ${reply.status}`).toBe(`${value} 304`);
      expect(reply.bytes.length).toBe(0);
      expect(reply.headers.get('etag')).toBe(etag);
    }
  });
  table(
    () => world,
    [
      notModified('* comes before a range (RFC 9110 §13.2.2)', '*', { range: 'bytes=0-9' }),
      {
        name: 'another tag: the whole file',
        send: get,
        headers: { 'if-none-match': '"other"' },
        status: 200,
        after: expectBytes(bytes),
      },
      {
        name: 'no tag at all: the whole file',
        send: get,
        headers: { 'if-none-match': 'nonsense' },
        status: 200,
        after: expectBytes(bytes),
      },
      {
        name: 'If-Range with another tag: the whole file',
        send: get,
        headers: { 'if-range': '"other"', range: 'bytes=0-9' },
        status: 200,
        after: expectBytes(bytes),
      },
    ],
  );

  test('If-Range with the tag of the file: the range; with the weak form: the whole', async () => {
    const etag = String(world.ids.etag);
    expect((await world.call(get, { headers: { 'if-range': etag, range: 'bytes=0-9' } })).status).toBe(206);
    expect((await world.call(get, { headers: { 'if-range': `W/${etag}`, range: 'bytes=0-9' } })).status).toBe(200);
  });
});
