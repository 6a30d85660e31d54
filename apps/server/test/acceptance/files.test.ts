import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import * as fixtures from './support/fixtures.ts';
import { file } from './support/multipart.ts';
import { rawRequest } from './support/raw.ts';
import { expectErrorShape, type Reply } from './support/reply.ts';
import type { MediaItem } from './support/shapes.ts';
import { type Row, table } from './support/table.ts';
import { World } from './support/world.ts';

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
const always = {
  'cache-control': /(^|[ ,])immutable($|[ ,])/,
  'x-content-type-options': 'nosniff',
  'content-security-policy': /(^|[ ;])sandbox($|[ ;])/,
  'accept-ranges': 'bytes',
  etag: /^"[\x21\x23-\x7e]+"$/,
} as const;

describe('"/files/{full_name}: GET, HEAD, ETag, immutable caching, nosniff, a sandboxing CSP, the right Content-Type"', () => {
  table(
    () => world,
    [
      {
        name: 'GET without a token',
        send: get,
        token: null,
        status: 200,
        after: expectBytes(bytes),
        replyHeaders: { ...always, 'content-type': 'image/jpeg', 'content-length': String(size) },
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

  test('two files have two tags', async () => {
    const other = await world.storeOne(file('other.png', fixtures.png()));
    const response = await fetch(other.link, { method: 'HEAD' });
    expect(response.headers.get('etag')).not.toBe(String(world.ids.etag));
  });
});

describe('"Range (single and suffix, 416)"', () => {
  const partial = (range: string, first: number, last: number): Row => ({
    name: range,
    send: get,
    headers: { range },
    status: 206,
    replyHeaders: {
      ...always,
      'content-type': 'image/jpeg',
      'content-range': `bytes ${first}-${last}/${size}`,
      'content-length': String(last - first + 1),
    },
    after: expectBytes(bytes.subarray(first, last + 1)),
  });
  table(
    () => world,
    [
      partial('bytes=0-9', 0, 9),
      partial('bytes=0-0', 0, 0),
      partial('bytes=10-', 10, size - 1),
      partial('bytes=-10', size - 10, size - 1),
      partial(`bytes=-${size * 2}`, 0, size - 1),
      partial(`bytes=${size - 1}-`, size - 1, size - 1),
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
    [
      'bytes=abc',
      'bytes=',
      'bytes',
      'lines=0-9',
      'bytes=5',
      'bytes=a-b',
      'bytes=1-2-3',
      'bytes=--5',
      'bytes=0x1-5',
      'bytes=1.5-3',
    ].map(
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

describe('"ETag and If-None-Match"', () => {
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

describe('What is no file of the library: 404 {"message":"Not found."}', () => {
  const unknown = [
    '/files',
    '/files/',
    '/files/{workspace}',
    '/files/{workspace}/',
    '/files/{workspace}/{media}',
    '/files/{workspace}/{media}/',
    '/files/{workspace}/{media}/other.jpg',
    '/files/{workspace}/{media}/BEACH.JPG',
    '/files/{workspace}/{media}/beach.jpg/',
    '/files/{workspace}/{media}/beach.jpg/more',
    '/files/{workspace}/{unknown}/beach.jpg',
    '/files/{foreign}/{media}/beach.jpg',
    '/files/{media}/{workspace}/beach.jpg',
    '/files/postshelf.db',
    '/files/postshelf.sqlite',
    '/files/.%2f{workspace}%2f{media}%2fbeach.jpg',
  ];
  table(
    () => world,
    unknown.map((path): Row => ({ name: path, send: `GET ${path}`, token: null, status: 404, message: 'Not found.' })),
  );
  table(
    () => world,
    ['POST', 'PUT', 'PATCH', 'DELETE'].map(
      (method): Row => ({
        name: `${method}: 405 with Allow`,
        send: `${method} /files/{name}`,
        status: 405,
        replyHeaders: { allow: /^(?=.*\bGET\b)(?=.*\bHEAD\b)/ },
      }),
    ),
  );
});

describe('Paths that try to leave the media', () => {
  const tries = [
    '/files/../package.json',
    '/files/../../../../../../etc/passwd',
    '/files/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/files/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '/files/%252e%252e%252f%252e%252e%252fetc%252fpasswd',
    '/files/..%5c..%5c..%5cetc%5cpasswd',
    '/files/..\\..\\etc\\passwd',
    '/files//etc/passwd',
    '/files/%2fetc%2fpasswd',
    '/files/{workspace}/{media}/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/files/{workspace}/{media}/beach.jpg%00.png',
    '/files/{workspace}/{media}/beach.jpg%00',
    '/files/{workspace}/{media}/%00beach.jpg',
    '/files/%00',
    '/files/%zz',
    '/files/%',
    '/files/%ff%fe%fd',
    '/files/%c0%ae%c0%ae%c0%afetc/passwd',
    '/files/%e0%80%ae%e0%80%ae/etc/passwd',
    '/files/%ef%bc%8e%ef%bc%8e/etc/passwd',
    '/files/....//....//etc/passwd',
    '/files/.;/.;/etc/passwd',
    '/files/file:///etc/passwd',
    '/files/~root/.ssh/id_rsa',
    '/files/{workspace}/{media}/con',
    '/files/{workspace}/./{media}/../{media}/beach.jpg/..%2f..',
    `/files/${'a/'.repeat(2000)}x`,
    `/files/${'%2e%2e%2f'.repeat(500)}etc/passwd`,
    `/files/{workspace}/{media}/${'n'.repeat(5000)}`,
  ];
  for (const target of tries) {
    test(target.slice(0, 80), async () => {
      const head = ['Host: x', 'Connection: close'];
      const reply = await rawRequest(
        world.server.port,
        [`GET ${world.fill(target)} HTTP/1.1`, ...head, '', ''].join('\r\n'),
      );
      expect(reply?.status).toBeOneOf([400, 404, 414]);
      if (reply === undefined || reply.bytes.length === 0) return;
      expectErrorShape(reply);
      expect(reply.text).not.toMatch(/root:|devDependencies/);
    });
  }

  test('nothing at the top of DATA_DIR is served under its own name', async () => {
    for (const name of readdirSync(world.dataDir)) {
      const reply = await world.call(`GET /files/${encodeURIComponent(name)}`, { token: null });
      expect(`${name} ${reply.status}`).toBe(`${name} 404`);
    }
  });
});

describe('"percent-encoded": each spelling of one name', () => {
  test('a Unicode name is found under its link, and however else its bytes are escaped', async () => {
    const stored = await world.storeOne(file('Strand 東京 & été.png', fixtures.png()));
    const everyByte = [...Buffer.from(stored.full_name)]
      .map((byte) => (byte === 0x2f ? '/' : `%${byte.toString(16).padStart(2, '0')}`))
      .join('');
    for (const link of [
      stored.link,
      `${world.ids.url}/files/${everyByte}`,
      `${world.ids.url}/files/${everyByte.toUpperCase()}`,
    ]) {
      const response = await fetch(link);
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBe(fixtures.png().length);
    }
  });

  test('a query string changes nothing', async () => {
    expect((await world.call(`${get}?download=1&x=../..`)).status).toBe(200);
  });
});

describe('A client that leaves in the middle', () => {
  test('of many big downloads costs the server nothing that lasts', async () => {
    const big = Buffer.concat([bytes, new Uint8Array(20_000_000)]);
    const stored = await world.storeOne(file('big.jpg', big));
    for (let round = 0; round < 10; round++) {
      const abort = new AbortController();
      const response = await fetch(stored.link, { signal: abort.signal });
      await response.body?.getReader().read();
      abort.abort();
    }
    const response = await fetch(stored.link);
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), big)).toBe(0);
  });
});
