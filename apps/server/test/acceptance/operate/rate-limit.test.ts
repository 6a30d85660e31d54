import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { arrayAt, at, expectErrorShape, type Reply } from '../support/reply.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures } from './support/figures.ts';

const LIMIT = 4;
const ONE = 'GET /media_contents/{unknown}';

let world: World;
let number = 0;
/** The name of a token that was never used before. */
let fresh: string;

beforeAll(async () => {
  world = await World.openAlone({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
});
afterAll(() => world.close());
beforeEach(async () => {
  number += 1;
  fresh = `fresh-${number}`;
  await world.tokenByCommand(fresh, '{workspace}');
});

const rateLimit = ({ headers }: Reply) => ({
  limit: headers.get('ratelimit-limit'),
  remaining: headers.get('ratelimit-remaining'),
});

/** Checks that an answer of REST or tRPC is a 429 that says when to retry. */
function expectTooMany(reply: Reply): void {
  expect(reply.status).toBe(429);
  expect(rateLimit(reply)).toEqual({ limit: String(LIMIT), remaining: '0' });
  const wait = Number(reply.headers.get('retry-after'));
  expect(wait).toBeWithin(1, 61);
  expect(reply.headers.get('ratelimit-reset')).toBe(String(wait));
}

describe('a token', () => {
  test('allows as many requests per minute as the limit, and each response says how many remain', async () => {
    for (let left = LIMIT - 1; left >= 0; left -= 1) {
      const reply = await world.call(ONE, { token: fresh });
      expect(reply.status).toBe(404);
      expect(rateLimit(reply)).toEqual({ limit: String(LIMIT), remaining: String(left) });
      expect(reply.headers.has('retry-after')).toBe(false);
    }
    const refused = await world.call(ONE, { token: fresh });
    expectTooMany(refused);
    expectErrorShape(refused);
    expect(refused.json).toEqual({ message: 'Too many requests.' });
  });

  test('is refused on every route once it is over the limit, while other tokens are accepted', async () => {
    for (let times = 0; times < LIMIT; times += 1) await world.call(ONE, { token: fresh });
    const replies = [
      await world.call('GET /workspaces/{workspace}/media_contents', { token: fresh }),
      await world.call('POST /workspaces/{workspace}/media_library/folders', { token: fresh, json: { name: 'New' } }),
      await world.upload([file('beach.jpg', jpeg())], { token: fresh }),
      await world.call('GET /trpc/media.get?input=%7B%22id%22%3A%22x%22%7D', { token: fresh }),
    ];
    for (const reply of replies) expectTooMany(reply);
    await world.tokenByCommand('other', '{workspace}');
    expect((await world.call('GET /workspaces/{workspace}/media_contents', { token: 'other' })).status).toBe(200);
    expect((await figures(world)).get('postshelf_rate_limited_total')).toBeGreaterThanOrEqual(replies.length);
  });

  test('is charged for each call of a tRPC batch, and only calls beyond the limit fail', async () => {
    const calls = Array.from({ length: LIMIT + 2 }, () => 'folders.list').join(',');
    const inputs = Array.from({ length: LIMIT + 2 }, (_, index) => [index, { workspace: '{workspace}' }]);
    const input = encodeURIComponent(world.fill(JSON.stringify(Object.fromEntries(inputs))));
    const reply = await world.call(`GET /trpc/${calls}?batch=1&input=${input}`, { token: fresh });
    const errors = arrayAt(reply.json)
      .map((answer) => at(answer, 'error'))
      .filter((error) => error !== undefined);
    expect(arrayAt(reply.json)).toHaveLength(LIMIT + 2);
    expect(errors).toHaveLength(2);
    for (const error of errors)
      expect(error).toMatchObject({ message: 'Too many requests.', data: { httpStatus: 429 } });
    expect(Number(reply.headers.get('retry-after'))).toBeWithin(1, 61);
  });
});

test('a resumable upload over the rate limit is asked to retry later, even while its bytes arrive', async () => {
  const headers = { 'tus-resumable': '1.0.0' };
  const metadata = { 'upload-length': '9000', 'upload-metadata': `filename ${btoa('a.png')}` };
  const created = await world.call('POST /workspaces/{workspace}/uploads', {
    token: fresh,
    headers: { ...headers, ...metadata },
  });
  const path = new URL(created.headers.get('location') ?? '').pathname;
  const connection = await openRaw(world.server.port, 'PATCH');
  const head = [
    `PATCH ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${world.tokens[fresh]}`,
    'Tus-Resumable: 1.0.0',
    'Upload-Offset: 0',
    'Content-Type: application/offset+octet-stream',
    'Content-Length: 9000',
  ];
  await connection.send(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(1000)}`);
  await until('the limit is used up', async () => (await world.call(ONE, { token: fresh })).status === 429);
  const replies = [
    await within('the answer', connection.reply),
    await world.call(`PATCH ${path.replace('/v1', '')}`, { token: fresh, headers }),
    await world.call(`HEAD ${path.replace('/v1', '')}`, { token: fresh, headers }),
  ];
  expect(replies.map((reply) => reply?.status)).toEqual([503, 503, 423]);
  for (const reply of replies) expect(Number(reply?.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('without a valid token', () => {
  test('requests get 401, and do not count towards the limit of any token', async () => {
    const [head = '', claims = ''] = (world.tokens[fresh] ?? '').split('.');
    for (let times = 0; times < LIMIT * 2; times += 1) {
      const reply = await world.call(ONE, { token: `${head}.${claims}.forged` });
      expect(reply.status).toBe(401);
      expect(reply.headers.has('ratelimit-limit')).toBe(false);
    }
    expect(rateLimit(await world.call(ONE, { token: fresh })).remaining).toBe(String(LIMIT - 1));
  });

  test('requests for files and probes are not limited', async () => {
    for (let times = 0; times < LIMIT * 2; times += 1) {
      expect((await world.call('GET /health', { token: null })).status).toBe(200);
      expect((await world.call('GET /files/nothing/at/all', { token: null })).status).toBe(404);
    }
  });
});

test('there is no rate limit by default', async () => {
  const open = await World.open();
  try {
    const reply = await open.call(ONE);
    expect(reply.status).toBe(404);
    expect(reply.headers.has('ratelimit-limit')).toBe(false);
  } finally {
    await open.close();
  }
});
