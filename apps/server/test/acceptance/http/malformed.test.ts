import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRaw, rawRequest } from '../support/raw.ts';
import { expectErrorShape, type Reply } from '../support/reply.ts';
import { words } from '../support/table.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  await world.folder('Holidays');
});

afterAll(() => world.close());

/** Headers of every complete request here: the token, and `Connection: close`. */
function head(requestLine: string, ...lines: string[]): string {
  const common = [`Host: 127.0.0.1:${world.server.port}`, `Authorization: Bearer ${world.tokens.all}`];
  return `${[requestLine, ...common, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`;
}

/**
 * "never a 5xx or HTML". A request that isn't HTTP may be refused by the HTTP layer with an empty body or a closed
 * connection; as soon as there is a body it has the one shape.
 */
function expectRefusedOrFine(reply: Reply | undefined): void {
  if (reply === undefined) return;
  // 505 is for a version other than HTTP/1.1 (RFC 9110 §15.6.6): an error of the client in spite of its number.
  if (reply.status !== 505) expect(reply.status).toBeLessThan(500);
  expect(reply.headers.get('content-type') ?? '').not.toContain('html');
  if (reply.status >= 400 && reply.bytes.length > 0) expectErrorShape(reply);
}

async function expectAlive(): Promise<void> {
  expect((await world.call('GET /health')).status).toBe(200);
}

describe('Malformed request lines and headers', () => {
  const rows: readonly [string, () => string | Uint8Array][] = [
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['an unknown version', () => 'GET /v1/nope HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['CONNECT', () => head('CONNECT 127.0.0.1:1 HTTP/1.1')],
    ['no Host', () => 'GET /v1/nope HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a Host that is no host', () => 'GET /v1/nope HTTP/1.1\r\nHost: a b<>"\r\nConnection: close\r\n\r\n'],
    ...['', '[::1', 'a:99999', 'a/b'].map((host): [string, () => string] => [
      `the Host ${JSON.stringify(host.slice(0, 20))}`,
      () => `GET /v1/nope HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    ]),
    ['an absolute target', () => head('GET http://other.example/v1/nope HTTP/1.1')],
    ['a header without a colon', () => head('GET /v1/nope HTTP/1.1', 'nocolon')],
    ['a folded header', () => head('GET /v1/nope HTTP/1.1', 'X-Folded: a', ' b')],
    ['NUL in a header', () => head('GET /v1/nope HTTP/1.1', 'X-Nul: a\0b')],
    [
      'five thousand headers',
      () => head('GET /v1/nope HTTP/1.1', ...Array.from({ length: 5000 }, (_, i) => `X-${i}: 1`)),
    ],
    ['line feeds alone', () => 'GET /v1/nope HTTP/1.1\nHost: x\nConnection: close\n\n'],
    ['a negative length', () => head('POST /v1/nope HTTP/1.1', 'Content-Length: -1')],
    ['two lengths', () => `${head('POST /v1/nope HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')}ab`],
    [
      'a bad chunk size',
      () => `${head('POST /v1/nope HTTP/1.1', 'Transfer-Encoding: chunked')}xyz\r\nabc\r\n0\r\n\r\n`,
    ],
  ];
  for (const [name, request] of rows) {
    test(name, async () => {
      // If the HTTP layer waits for more of an invalid request, the client can only hang up.
      const reply = await rawRequest(world.server.port, request(), 2000).catch(() => undefined);
      expectRefusedOrFine(reply);
      await expectAlive();
    });
  }

  test('Content-Length together with chunked encoding can not smuggle a second request', async () => {
    const smuggled = `GET /health HTTP/1.1\r\nHost: x\r\n\r\n`;
    const request = head('POST /v1/nope HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked');
    const reply = await rawRequest(world.server.port, `${request}0\r\n\r\n${smuggled}`);
    expectRefusedOrFine(reply);
    if (reply !== undefined) expect(reply.status).toBeGreaterThanOrEqual(400);
    await expectAlive();
  });
});

describe('Malformed paths and queries', () => {
  const targets = words(`
    /v1/%zz /v1/%00 /v1/media_contents/%2e%2e%2f%2e%2e /v1/../v1/../../health /v1/workspaces/%c0%ae/media_contents //evil.example/v1/nope
    /\\evil.example /v1/nope#fragment /v1/nope?<script>alert(1)</script>
  `);
  for (const target of targets) {
    test(`path ${target}`, async () => {
      const reply = await rawRequest(world.server.port, head(`GET ${target} HTTP/1.1`));
      expectRefusedOrFine(reply);
      if (reply !== undefined && reply.status < 400) expect(reply.text).not.toContain('evil');
      await expectAlive();
    });
  }

  const queries = [
    '%zz=1',
    'page[__proto__][x]=1',
    '__proto__[page]=0',
    'per_page=99999999999999999999999999',
    'page=9007199254740993&per_page=100',
    Array.from({ length: 1000 }, (_, index) => `q${index}=1`).join('&'),
  ];
  for (const query of queries) {
    test(`?${query.slice(0, 40)}`, async () => {
      const target = Buffer.from(`/v1/workspaces/${world.ids.workspace}/media_contents?${query}`, 'utf8');
      const request = Buffer.from(head(`GET ${target.toString('latin1')} HTTP/1.1`), 'latin1');
      const reply = await rawRequest(world.server.port, request);
      expectRefusedOrFine(reply);
      expect([undefined, 200, 400, 422]).toContain(reply?.status);
      await expectAlive();
    });
  }
});

test('any Host has the same routes', async () => {
  for (const host of ['x', '[::1]:8080', 'EXAMPLE.org']) {
    const rest = `Host: ${host}\r\nAuthorization: Bearer ${world.tokens.all}\r\nConnection: close\r\n\r\n`;
    const ask = (path: string) => rawRequest(world.server.port, `GET ${path} HTTP/1.1\r\n${rest}`);
    expect((await ask(`/v1/workspaces/${world.ids.workspace}/media_library/folders`))?.status).toBe(200);
    expect((await ask('/v1/nope'))?.status).toBe(404);
  }
});

describe('The head of a request', () => {
  const invalidHost = 'The Host header is not valid.';
  for (const [name, ...hosts] of [
    ['two different ones', 'a.example', 'b.example'],
    ['two in one line', 'a.example, b.example'],
    ['one and an empty one', 'a.example', ''],
  ])
    test(`400 for several Host headers: ${name}`, async () => {
      for (const target of ['/health', '/v1/nope', `/v1/workspaces/${world.ids.workspace}/media_contents`]) {
        const lines = hosts.map((host) => `Host: ${host}`);
        const request = [`GET ${target} HTTP/1.1`, ...lines, `Authorization: Bearer ${world.tokens.all}`];
        const reply = await rawRequest(world.server.port, `${request.join('\r\n')}\r\nConnection: close\r\n\r\n`);
        expect({ status: reply?.status, body: reply?.json }).toEqual({ status: 400, body: { message: invalidHost } });
      }
    });

  test('may lack a Host by HTTP/1.0 if it is a probe, as load balancers send them', async () => {
    const statusOf = async (target: string) =>
      (await rawRequest(world.server.port, `GET ${target} HTTP/1.0\r\n\r\n`))?.status;
    expect([await statusOf('/health'), await statusOf('/ready'), await statusOf('/metrics')]).toEqual([200, 200, 400]);
  });

  test('may have 15 KB', async () => {
    const reply = await rawRequest(
      world.server.port,
      head('GET /v1/nope HTTP/1.1', `X-Large: ${'a'.repeat(15 * 1024)}`),
    );
    expect(reply?.status).toBe(404);
  });

  // Bun refuses these before the service gets them (docs/decisions/25-bun.md).
  for (const [name, lines] of [
    ['more than 16 KB in a header', [`X-Large: ${'a'.repeat(16 * 1024)}`]],
    ['more than 16 KB in many headers', Array.from({ length: 100 }, (_, nth) => `X-${nth}: ${'a'.repeat(200)}`)],
    ['more than 198 headers', Array.from({ length: 200 }, (_, nth) => `X-${nth}: a`)],
  ] as const)
    test(`431 for ${name}, and the service continues to work`, async () => {
      expect((await rawRequest(world.server.port, head('GET /v1/nope HTTP/1.1', ...lines)))?.status).toBe(431);
      await expectAlive();
    });
});

describe('An incomplete request does not block others', () => {
  test('a hundred connections that never end their header', async () => {
    const open = await Promise.all(Array.from({ length: 100 }, () => openRaw(world.server.port)));
    for (const connection of open) await connection.send('GET /v1/nope HTTP/1.1\r\nX-Slow: ');
    await expectAlive();
    for (const connection of open) connection.hangUp();
    await Promise.all(open.map((connection) => within('the connection to close', connection.closed)));
    await expectAlive();
  });

  test('a body in chunks that is refused before its end: the connection is closed soon', async () => {
    const refuse = async (target: string, status: number): Promise<void> => {
      const connection = await openRaw(world.server.port, 'POST');
      await connection.send(`POST ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`);
      const reply = await within('the answer', connection.reply);
      expect(reply?.status).toBe(status);
      expect(reply?.headers.get('connection')).toBe('close');
      await within('the connection to close', connection.closed);
    };
    const folders = world.fill('/v1/workspaces/{workspace}/media_library/folders');
    await Promise.all([refuse('/unknown', 404), refuse(folders, 401)]);
  });

  test('a body in chunks that was read leaves the connection open', async () => {
    const connection = await openRaw(world.server.port, 'POST');
    const head = `POST ${world.fill('/v1/workspaces/{workspace}/media_library/folders')} HTTP/1.1\r\nHost: x`;
    const json = JSON.stringify({ name: 'In chunks' });
    await connection.send(
      `${head}\r\nAuthorization: Bearer ${world.tokens.all}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`,
    );
    const reply = await within('the answer', connection.reply);
    expect([reply?.status, reply?.headers.get('connection')]).toEqual([201, null]);
    connection.hangUp();
  });

  test('a JSON body that is shorter than announced', async () => {
    const connection = await openRaw(world.server.port, 'POST');
    const target = `/v1/workspaces/${world.ids.workspace}/media_library/folders`;
    await connection.send(head(`POST ${target} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 100'));
    await connection.send('{"name":"Never whole"}');
    connection.hangUp();
    await within('the connection to close', connection.closed);
    const list = await world.call('GET /workspaces/{workspace}/media_library/folders');
    expect(list.text).not.toContain('Never whole');
  });

  test('two requests on one connection get their own answers', async () => {
    const first = `GET /v1/nope HTTP/1.1\r\nHost: x\r\n\r\n`;
    const connection = await openRaw(world.server.port);
    await connection.send(first + head('GET /health HTTP/1.1'));
    const reply = await within('the first answer', connection.reply);
    expect(reply?.status).toBe(404);
    await within('the connection to close', connection.closed);
  });
});
