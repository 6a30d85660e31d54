import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import { type Row, table, words } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  const item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
  world.ids.name = item.full_name;
  world.ids.media = item.id;
});

afterAll(() => world.close());

describe('serving files', () => {
  const unknown = words(`
    /files /files/ /files/{workspace}/ /files/{workspace}/{media}/ /files/{workspace}/{media}/other.jpg
    /files/{workspace}/{media}/BEACH.JPG /files/{workspace}/{media}/beach.jpg/more
    /files/{workspace}/{unknown}/beach.jpg /files/{foreign}/{media}/beach.jpg /files/{media}/{workspace}/beach.jpg
    /files/postshelf.db /files/jwt-secret /files/.%2f{workspace}%2f{media}%2fbeach.jpg
    /files/{workspace}%2f{media}%2fbeach.jpg /files/{workspace}/{media}%2Fbeach.jpg

  `);
  table(
    () => world,
    unknown.map(
      (path): Row => ({
        name: `answers 404 for ${path}`,
        send: `GET ${path}`,
        token: null,
        status: 404,
        message: 'Not found.',
        // Otherwise a CDN would go on sending this answer after the file has arrived.
        replyHeaders: { 'cache-control': 'no-store' },
      }),
    ),
  );
  table(
    () => world,
    ['POST', 'PUT', 'PATCH', 'DELETE'].map(
      (method): Row => ({
        name: `answers ${method} with 405 and Allow`,
        send: `${method} /files/{name}`,
        status: 405,
        replyHeaders: { allow: /^(?=.*\bGET\b)(?=.*\bHEAD\b)/ },
      }),
    ),
  );
});

describe('a path that tries to leave the media folder', () => {
  const tries = [
    ...words(`
      /files/../package.json /files/../../../../../../etc/passwd /files/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd
      /files/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd /files/%252e%252e%252f%252e%252e%252fetc%252fpasswd
      /files/..%5c..%5c..%5cetc%5cpasswd /files/..\\..\\etc\\passwd /files//etc/passwd /files/%2fetc%2fpasswd
      /files/{workspace}/{media}/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd /files/{workspace}/{media}/beach.jpg%00.png
      /files/{workspace}/{media}/beach.jpg%00 /files/{workspace}/{media}/%00beach.jpg /files/%00 /files/%zz /files/%
      /files/%ff%fe%fd /files/%c0%ae%c0%ae%c0%afetc/passwd /files/%e0%80%ae%e0%80%ae/etc/passwd
      /files/%ef%bc%8e%ef%bc%8e/etc/passwd /files/....//....//etc/passwd /files/.;/.;/etc/passwd
      /files/file:///etc/passwd /files/~root/.ssh/id_rsa /files/{workspace}/{media}/con
      /files/{workspace}/./{media}/../{media}/beach.jpg/..%2f..
    `),
    `/files/${'a/'.repeat(2000)}x`,
    `/files/${'%2e%2e%2f'.repeat(500)}etc/passwd`,
    `/files/{workspace}/{media}/${'n'.repeat(5000)}`,
  ];
  for (const target of tries) {
    test(`is refused: ${target.slice(0, 80)}`, async () => {
      const head = [`Host: 127.0.0.1:${world.server.port}`, 'Connection: close'];
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
});

describe('the link of a file', () => {
  test('works with any percent-encoding of a Unicode name', async () => {
    const stored = await world.storeOne(file('Strand 東京 & été.png', fixtures.png()));
    const everyByte = [...Buffer.from(stored.full_name)]
      .map((byte) => (byte === 0x2f ? '/' : `%${byte.toString(16).padStart(2, '0')}`))
      .join('');
    for (const link of [stored.link, `${world.ids.url}/files/${everyByte}?download=1&x=../..`]) {
      const response = await fetch(link);
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBe(fixtures.png().length);
    }
  });
});

describe('a client that disconnects during a download', () => {
  test('does not affect later downloads of the file', async () => {
    const big = Buffer.concat([fixtures.jpeg(), new Uint8Array(20_000_000)]);
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
