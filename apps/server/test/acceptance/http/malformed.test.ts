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

/** The head of a request with a token and `Connection: close`. */
function head(requestLine: string, ...lines: string[]): string {
  const common = [`Host: 127.0.0.1:${world.server.port}`, `Authorization: Bearer ${world.tokens.all}`];
  return `${[requestLine, ...common, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`;
}

/**
 * "never a 5xx or HTML". A request that isn't HTTP may be refused by the HTTP layer with an empty body or a closed
 * connection. If there is a body, it has the shape of all error bodies.
 */
function expectRefusedOrFine(reply: Reply | undefined): void {
  if (reply === undefined) return;
  // 505 is allowed, although it is a 5xx: it refuses a version other than HTTP/1.1 (RFC 9110 §15.6.6), which is the
  // client's error.
  if (reply.status !== 505) expect(reply.status).toBeLessThan(500);
  expect(reply.headers.get('content-type') ?? '').not.toContain('html');
  if (reply.status >= 400 && reply.bytes.length > 0) expectErrorShape(reply);
}

async function expectAlive(): Promise<void> {
  expect((await world.call('GET /health')).status).toBe(200);
}

describe('a malformed request', () => {
  const rows: readonly [string, () => string | Uint8Array][] = [
    ['no HTTP syntax', () => 'hello\r\n\r\n'],
    ['an unknown version', () => 'GET /v1/nope HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['the method CONNECT', () => head('CONNECT 127.0.0.1:1 HTTP/1.1')],
    ['no Host', () => 'GET /v1/nope HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an invalid Host', () => 'GET /v1/nope HTTP/1.1\r\nHost: a b<>"\r\nConnection: close\r\n\r\n'],
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
    ['bare line feeds', () => 'GET /v1/nope HTTP/1.1\nHost: x\nConnection: close\n\n'],
    ['a negative length', () => head('POST /v1/nope HTTP/1.1', 'Content-Length: -1')],
    ['two different lengths', () => `${head('POST /v1/nope HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')}ab`],
    [
      'an invalid chunk size',
      () => `${head('POST /v1/nope HTTP/1.1', 'Transfer-Encoding: chunked')}xyz\r\nabc\r\n0\r\n\r\n`,
    ],
  ];
  for (const [name, request] of rows) {
    test(`with ${name} returns neither a 5xx nor HTML`, async () => {
      // The HTTP layer may wait for the rest of an invalid request. Therefore a missing answer is allowed as well.
      const reply = await rawRequest(world.server.port, request(), 2000).catch(() => undefined);
      expectRefusedOrFine(reply);
      await expectAlive();
    });
  }

  test('with both Content-Length and chunked encoding cannot smuggle a second request', async () => {
    const smuggled = `GET /health HTTP/1.1\r\nHost: x\r\n\r\n`;
    const request = head('POST /v1/nope HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked');
    const reply = await rawRequest(world.server.port, `${request}0\r\n\r\n${smuggled}`);
    expectRefusedOrFine(reply);
    if (reply !== undefined) expect(reply.status).toBeGreaterThanOrEqual(400);
    await expectAlive();
  });
});

describe('a malformed path or query', () => {
  const targets = words(`
    /v1/%zz /v1/%00 /v1/media_contents/%2e%2e%2f%2e%2e /v1/../v1/../../health /v1/workspaces/%c0%ae/media_contents //evil.example/v1/nope
    /\\evil.example /v1/nope#fragment /v1/nope?<script>alert(1)</script>
  `);
  for (const target of targets) {
    test(`returns neither a 5xx nor HTML: ${target}`, async () => {
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
    test(`returns neither a 5xx nor HTML: ?${query.slice(0, 40)}`, async () => {
      const target = Buffer.from(`/v1/workspaces/${world.ids.workspace}/media_contents?${query}`, 'utf8');
      const request = Buffer.from(head(`GET ${target.toString('latin1')} HTTP/1.1`), 'latin1');
      const reply = await rawRequest(world.server.port, request);
      expectRefusedOrFine(reply);
      expect([undefined, 200, 400, 422]).toContain(reply?.status);
      await expectAlive();
    });
  }
});

test('requests with any Host header reach the same routes', async () => {
  for (const host of ['x', '[::1]:8080', 'EXAMPLE.org']) {
    const rest = `Host: ${host}\r\nAuthorization: Bearer ${world.tokens.all}\r\nConnection: close\r\n\r\n`;
    const ask = (path: string) => rawRequest(world.server.port, `GET ${path} HTTP/1.1\r\n${rest}`);
    expect((await ask(`/v1/workspaces/${world.ids.workspace}/media_library/folders`))?.status).toBe(200);
    expect((await ask('/v1/nope'))?.status).toBe(404);
  }
});

describe('the head of a request', () => {
  const invalidHost = 'The Host header is not valid.';
  for (const [name, ...hosts] of [
    ['two different ones', 'a.example', 'b.example'],
    ['two in one line', 'a.example, b.example'],
    ['one and an empty one', 'a.example', ''],
  ])
    test(`is answered 400 if it has several hosts: ${name}`, async () => {
      for (const target of ['/health', '/v1/nope', `/v1/workspaces/${world.ids.workspace}/media_contents`]) {
        const lines = hosts.map((host) => `Host: ${host}`);
        const request = [`GET ${target} HTTP/1.1`, ...lines, `Authorization: Bearer ${world.tokens.all}`];
        const reply = await rawRequest(world.server.port, `${request.join('\r\n')}\r\nConnection: close\r\n\r\n`);
        expect({ status: reply?.status, body: reply?.json }).toEqual({ status: 400, body: { message: invalidHost } });
      }
    });

  test('may lack a Host header only in HTTP/1.0 requests for /health and /ready', async () => {
    const statusOf = async (target: string) =>
      (await rawRequest(world.server.port, `GET ${target} HTTP/1.0\r\n\r\n`))?.status;
    expect([await statusOf('/health'), await statusOf('/ready'), await statusOf('/metrics')]).toEqual([200, 200, 400]);
  });

  test('may be 15 KB long', async () => {
    const reply = await rawRequest(
      world.server.port,
      head('GET /v1/nope HTTP/1.1', `X-Large: ${'a'.repeat(15 * 1024)}`),
    );
    expect(reply?.status).toBe(404);
  });

  // Bun refuses the following requests before the service gets them (docs/decisions/25-bun.md).
  for (const [name, lines] of [
    ['more than 16 KB in a header', [`X-Large: ${'a'.repeat(16 * 1024)}`]],
    ['more than 16 KB in many headers', Array.from({ length: 100 }, (_, nth) => `X-${nth}: ${'a'.repeat(200)}`)],
    ['more than 198 headers', Array.from({ length: 200 }, (_, nth) => `X-${nth}: a`)],
  ] as const)
    test(`is answered 431 if it has ${name}, and the service continues to work`, async () => {
      expect((await rawRequest(world.server.port, head('GET /v1/nope HTTP/1.1', ...lines)))?.status).toBe(431);
      await expectAlive();
    });
});

describe('a connection', () => {
  test('with an unfinished request head does not block others, even if a hundred are open', async () => {
    const open = await Promise.all(Array.from({ length: 100 }, () => openRaw(world.server.port)));
    for (const connection of open) await connection.send('GET /v1/nope HTTP/1.1\r\nX-Slow: ');
    await expectAlive();
    for (const connection of open) connection.hangUp();
    await Promise.all(open.map((connection) => within('the connection to close', connection.closed)));
    await expectAlive();
  });

  test('is closed after the response if a chunked body is refused early', async () => {
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

  test('stays open after a chunked body was read', async () => {
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

  test('that ends before its JSON body is complete changes nothing', async () => {
    const connection = await openRaw(world.server.port, 'POST');
    const target = `/v1/workspaces/${world.ids.workspace}/media_library/folders`;
    await connection.send(head(`POST ${target} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 100'));
    await connection.send('{"name":"Never whole"}');
    connection.hangUp();
    await within('the connection to close', connection.closed);
    const list = await world.call('GET /workspaces/{workspace}/media_library/folders');
    expect(list.text).not.toContain('Never whole');
  });

  test('with two pipelined requests answers the first one first', async () => {
    const first = `GET /v1/nope HTTP/1.1\r\nHost: x\r\n\r\n`;
    const connection = await openRaw(world.server.port);
    await connection.send(first + head('GET /health HTTP/1.1'));
    const reply = await within('the first answer', connection.reply);
    expect(reply?.status).toBe(404);
    await within('the connection to close', connection.closed);
  });
});
