import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { storages, uploadStorages } from '../presign/support/every-storage.ts';
import { issue, send } from '../presign/support/uploads.ts';
import { jpeg } from '../support/fixtures.ts';
import { claimsOf } from '../support/jwt.ts';
import { sized } from '../support/long.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { freePort, removeFolder, scratchFolder, spawnInTerminal, spawnServer } from '../support/server.ts';
import { uuid } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { linesOf, lineWith } from './support/log.ts';

describe('a request', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.openAlone();
  });
  afterAll(() => world.close());

  test('is logged in one line, with the id that its client sees', async () => {
    const body = multipart([file('beach.jpg', jpeg())], boundary);
    const reply = await world.upload(body);
    const id = reply.headers.get('x-request-id') ?? '';
    expect(id).toMatch(uuid);
    expect(await lineWith(world, { id })).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      id,
      method: 'POST',
      path: world.fill('/v1/workspaces/{workspace}/media_contents'),
      route: '/v1/workspaces/{workspace}/media_contents',
      status: 201,
      ms: expect.any(Number),
      bytes: body.bytes.length,
      token: claimsOf(world.tokens.all ?? '').jti,
      address: '127.0.0.1',
      msg: 'request',
    });
    expect(linesOf(world).filter((line) => line.id === id)).toHaveLength(1);
  });

  test('is logged with null for a missing token or route', async () => {
    const reply = await world.call('GET /v1/nowhere?secret=1', { token: null });
    const line = await lineWith(world, { id: reply.headers.get('x-request-id') ?? '' });
    expect(line).toMatchObject({ path: '/v1/nowhere', route: null, status: 404, bytes: 0, token: null });
  });

  test('is not logged if it is a successful probe', async () => {
    const fine = await world.call('GET /ready', { token: null });
    const failed = await world.call('POST /ready', { token: null });
    expect([fine.status, failed.status]).toEqual([200, 405]);
    await lineWith(world, { id: failed.headers.get('x-request-id') ?? '' });
    expect(linesOf(world).filter((line) => line.id === fine.headers.get('x-request-id'))).toEqual([]);
  });

  test("is logged with its own id and address, whatever the client's headers say", async () => {
    const headers = { 'x-request-id': 'mine', 'x-forwarded-for': '203.0.113.9' };
    const reply = await world.call('GET /v1/nowhere', { headers });
    expect(reply.headers.get('x-request-id')).toMatch(uuid);
    expect(await lineWith(world, { id: reply.headers.get('x-request-id') ?? '' })).toMatchObject({
      address: '127.0.0.1',
    });
  });
});

describe('behind a trusted proxy', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.openAlone({ TRUST_PROXY: 'true' });
  });
  afterAll(() => world.close());

  test("the proxy's request id is kept, and the address is the last one in its X-Forwarded-For", async () => {
    const headers = { 'x-request-id': 'proxy-1.a_B', 'x-forwarded-for': '198.51.100.1, 2001:db8::9' };
    const reply = await world.call('GET /v1/nowhere', { headers });
    expect(reply.headers.get('x-request-id')).toBe('proxy-1.a_B');
    expect(await lineWith(world, { id: 'proxy-1.a_B' })).toMatchObject({ address: '2001:db8::9' });
  });

  test.each([
    ['is too long', 'x'.repeat(65)],
    ['has other characters', 'a b"}'],
    ['is empty', ''],
  ])('a request id that %s is replaced', async (_, id) => {
    const headers = { 'x-request-id': id, 'x-forwarded-for': 'unknown' };
    const reply = await world.call('GET /v1/nowhere', { headers });
    const own = reply.headers.get('x-request-id') ?? '';
    expect(own).toMatch(uuid);
    expect(await lineWith(world, { id: own })).toMatchObject({ address: '127.0.0.1' });
  });
});

describe.each(sized(uploadStorages, storages))('the log with $name', (storage) => {
  // By default only `trace` is tested, because its log also contains everything that `info` logs.
  test.each(sized(['trace'], ['trace', 'info']))('contains no secrets at level %s', async (LOG_LEVEL) => {
    const library = await storage.open({ ...loopback, IMPORT_RETRY_DELAYS: '1', LOG_LEVEL });
    const origin = await Origin.open();
    const { world } = library;
    try {
      const { secrets, failed } = await session(world, origin);
      await world.server.end();
      const log = world.server.log();
      // The failed import shows that the log covers the whole session, so the absence of secrets means something.
      expect(log).toContain(failed);
      expect(secrets.length).toBeGreaterThan(10);
      for (const secret of secrets) expect([secret, log.includes(secret)]).toEqual([secret, false]);
    } finally {
      origin.close();
      await library.close();
    }
  });
});

/**
 * Uses every kind of secret, in requests that succeed and in requests that fail.
 *
 * @returns the secrets, and the id of a failed import
 */
async function session(world: World, origin: Origin): Promise<{ secrets: readonly string[]; failed: string }> {
  const bytes = jpeg();
  const stored = await world.storeOne(file('beach.jpg', bytes));
  const shown = await fetch(stored.link, { redirect: 'manual' });
  await shown.arrayBuffer();
  const issued = await issue(world, bytes);
  expect((await send(issued, bytes)).status).toBe(200);
  const spoilt = issued.url.replace(/[0-9a-f]{8}(?=[^0-9a-f]*$)/i, 'deadbeef');
  await send(issued, bytes, { url: spoilt });
  await world.call(`POST /media_contents/${issued.id}/confirm`);
  const token = world.tokens.all ?? '';
  const forged = `${token.slice(0, -6)}FORGED`;
  await world.call('GET /media_contents/{unknown}', { token: forged });
  await world.call(`GET /media_contents/{unknown}?access_token=${token}`);
  await rawRequest(world.server.port, `GET /${token} HTTP/1.1\r\nHost: \r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await rawRequest(world.server.port, `GET /v1/${token} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const gone = origin.page('gone.jpg', async ({ cut }) => cut());
  const query = 'X-Amz-Signature=5ec7e7aaaabbbbccccddddeeeeffff00&sig=q1w2e3r4t5&token=zyxwvut';
  const item = await importUrl(world, `${gone.url}?${query}`);
  await importUrl(world, `http://reader:pass-w0rd@127.0.0.1:${origin.port}/x.jpg?${query}`);
  await importUrl(world, `http://nowhere.invalid/x.jpg?${query}`);
  await importUrl(world, `http://127.0.0.1:1/x.jpg?${query}`);
  const [{ id: failed = '' } = {}] = Object(item.json).data ?? [];
  expect((await settled(world, { id: failed })).status).toBe('failed');
  const addresses = [issued.url, spoilt, shown.headers.get('location')].filter((address) => address !== null);
  const signed = addresses.flatMap((address) => [...new URL(address).searchParams.values()].filter(isSecret));
  return {
    failed,
    secrets: [
      ...[token, forged].flatMap((text) => [text, ...text.split('.').slice(1)]),
      ...signed,
      ...['5ec7e7aaaabbbbccccddddeeeeffff00', 'q1w2e3r4t5', 'zyxwvut', 'pass-w0rd'],
      world.server.settings.JWT_SECRET ?? '',
      ...(world.server.settings.S3_SECRET_ACCESS_KEY ? [world.server.settings.S3_SECRET_ACCESS_KEY] : []),
      createHash('sha256').update(token).digest('hex'),
    ],
  };
}

/** Signatures are long texts in hex or base64, unlike sizes, types and times. */
const isSecret = (value: string): boolean => /^[\w+/=-]{32,}$/.test(value);

test('LOG_FORMAT=pretty writes human-readable lines without secrets', async () => {
  const world = await World.openAlone({ LOG_FORMAT: 'pretty' });
  try {
    await world.call('GET /media_contents/{unknown}');
    await rawRequest(world.server.port, `GET /v1/${world.tokens.all} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await until('both requests are in the log', () => world.server.log().split('INFO  request').length === 3);
    const log = world.server.log();
    expect(log).toMatch(/^\d\d:\d\d:\d\d INFO {2}listening on 127\.0\.0\.1:\d+ url=http:\S+ data=\S+$/m);
    expect(log).toMatch(/^\d\d:\d\d:\d\d INFO {2}request id=\S+ .*route=\/v1\/media_contents\/\{id\} status=404 /m);
    expect(log).toContain('[token]');
    expect(log).not.toContain(world.tokens.all ?? '-');
  } finally {
    await world.close();
  }
});

test.each([
  ['only the welcome', {}],
  ['the welcome and human-readable log lines with LOG_LEVEL=info', { LOG_LEVEL: 'info' }],
])('a first start in a terminal prints %s', async (what, level) => {
  const folder = scratchFolder();
  const settings = { DATA_DIR: folder, PORT: String(await freePort()), ...level };
  let shown = '';
  const serving = spawnInTerminal(['serve', '--welcome'], settings, (data) => {
    shown += new TextDecoder().decode(data);
  });
  try {
    await until('it welcomes', () => shown.includes('Ctrl-C stops it.'));
    const [before = '', after = ''] = shown.split('\r\nPostshelf serves');
    const lines = before.split('\r\n').filter((line) => line !== '');
    if (what === 'only the welcome') {
      for (const line of lines) expect(line).toContain('WARN');
    } else {
      expect(lines.some((line) => line.includes('listening on'))).toBe(true);
      expect(lines.length).toBeLessThan(10);
      for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d \p{Cc}\[3[23]m(INFO|WARN) \p{Cc}\[0m \S/u);
    }
    expect(after).toMatch(/^ http.*\r\n\r\nWorkspace: .*\r\nToken: /);
  } finally {
    serving.kill();
    await serving.exited;
    removeFolder(folder);
  }
});

describe('an error at startup', () => {
  const reason = 'METRICS_TOKEN: must be 16 or more visible characters of ASCII';
  const object = { level: 'fatal', time: expect.stringMatching(/^\d{4}-.+Z$/), msg: reason };
  test.each([
    ['json', 'serve', (line: string) => expect(JSON.parse(line)).toEqual(object)],
    ['journald', 'worker', (line: string) => expect(JSON.parse(line.replace(/^<2>/, ''))).toEqual(object)],
    ['pretty', 'serve', (line: string) => expect(line).toBe(`postshelf: ${reason}\n`)],
  ] as const)('is one line without secrets: LOG_FORMAT=%s, command %s', async (LOG_FORMAT, command, check) => {
    const folder = scratchFolder();
    const settings = { DATA_DIR: folder, DATABASE_URL: 'sqlite:/nowhere/at/all.db', METRICS_TOKEN: 'hunter2' };
    const { exited, stdout, stderr, forget } = spawnServer({ ...settings, LOG_FORMAT }, [command]);
    try {
      expect(await exited).toBe(1);
      expect(stderr().split('\n')).toHaveLength(2);
      check(stderr());
      expect(stdout()).toBe('');
    } finally {
      forget();
      removeFolder(folder);
    }
  });
});

test('LOG_FORMAT=journald puts the priority of each line in front of the JSON object', async () => {
  const world = await World.openAlone({ LOG_FORMAT: 'journald', S3_BUCKEET: 'x' });
  try {
    await world.call('GET /media_contents/{unknown}');
    await until('the request is in the log', () => world.server.log().includes('"msg":"request"'));
    const lines = world.server.log().trimEnd().split('\n');
    for (const line of lines) {
      const { level } = JSON.parse(line.replace(/^<\d>/, ''));
      expect(line.slice(0, 3)).toBe({ info: '<6>', warn: '<4>' }[String(level)] ?? 'no priority');
    }
    expect(lines.filter((line) => line.startsWith('<4>')).join()).toContain('did you mean S3_BUCKET?');
  } finally {
    await world.close();
  }
});
