import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createPostshelfClient } from '@postshelf/client';
import { createTRPCUntypedClient, httpBatchStreamLink } from '@trpc/client';
import { makePost, makeProfile, noMetrics, posts, showPost } from '../posts/support/posts.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, keysOf, type Reply, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
  await makePost(world, { text: 'Known', metrics: { likes: 4 } });
  world.ids.media = (await world.storeOne(file('film.mp4', fixtures.mp4()))).id;
});

afterAll(() => world.close());

function query(procedure: string, input: object, token: string | null = 'all'): Promise<Reply> {
  return world.call(`GET /trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(world.fill(input)))}`, { token });
}

const versionIn = ({ headers }: Reply): number => Number(headers.get('etag')?.replaceAll('"', ''));

function mutate(procedure: string, json: object, token: string | null = 'all'): Promise<Reply> {
  return world.call(`POST /trpc/${procedure}`, { json, token });
}

/** Expects tRPC's error envelope with the status, and no stack. */
function expectTrpcError(reply: Reply, status: number, message?: string): void {
  expect({ status: reply.status, body: reply.text.slice(0, 500) }).toMatchObject({ status });
  expect(at(reply.json, 'error', 'data', 'httpStatus')).toBe(status);
  if (message !== undefined) expect(at(reply.json, 'error', 'message')).toBe(message);
  expect(keysOf(at(reply.json, 'error', 'data'))).not.toContain('stack');
  expect(reply.text).not.toMatch(/\bat .+:\d+:\d+|node_modules|ValiError|\.ts\b/);
}

describe('tRPC', () => {
  const window = { from: '2026-01-01', to: '2026-02-01' };
  const sameAsRest: readonly [string, object, string][] = [
    ['folders.list', { workspace: '{workspace}' }, 'GET /workspaces/{workspace}/media_library/folders'],
    ['media.get', { id: '{media}' }, 'GET /media_contents/{media}'],
    [
      'posts.list',
      { workspace: '{workspace}', profile: '{profile}', ...window, per_page: 1 },
      `GET ${posts}?profile={profile}&from=2026-01-01&to=2026-02-01&per_page=1`,
    ],
    [
      'analytics.bestTimes',
      { profile: '{profile}', ...window },
      'GET /analytics/best_times?profile={profile}&from=2026-01-01&to=2026-02-01',
    ],
  ];
  for (const [procedure, input, send] of sameAsRest) {
    test(`returns the same as REST for ${procedure}`, async () => {
      const [reply, other] = [await query(procedure, input), await world.call(send)];
      expect([reply.status, other.status]).toEqual([200, 200]);
      const version = procedure === 'media.get' ? { version: versionIn(other) } : {};
      expect(at(reply.json, 'result', 'data')).toEqual({ ...Object(other.json), ...version });
    });
  }

  test('returns a version with the data, and refuses an if_match with another version as a conflict', async () => {
    const made = await mutate('folders.create', { workspace: '{workspace}', name: 'Versions' });
    const folder = stringAt(made.json, 'result', 'data', 'data', 'id');
    expect(at(made.json, 'result', 'data', 'version')).toBe(1);
    const renamed = await mutate('folders.update', { folder, name: 'Changed', if_match: 1 });
    expect(at(renamed.json, 'result', 'data', 'version')).toBe(2);
    expect((await mutate('folders.delete', { folder, if_match: '2' })).status).toBe(422);
    for (const if_match of [1, 3]) {
      const conflict = await mutate('folders.delete', { folder, if_match });
      expectTrpcError(conflict, 412, 'Someone else changed this.');
      expect(at(conflict.json, 'error', 'data')).toMatchObject({ code: 'CONFLICT', version: 2 });
    }
    const client = createPostshelfClient({ baseUrl: String(world.ids.url), token: world.tokens.all ?? '' });
    const failure = await client.trpc.folders.delete.mutate({ folder, if_match: 1 }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'refused', status: 412, version: 2 });
    const unconditional = await mutate('folders.update', { folder, name: 'Again', if_match: null });
    expect(at(unconditional.json, 'result', 'data', 'version')).toBe(3);
    expect((await mutate('folders.delete', { folder, if_match: 3 })).status).toBe(200);
  });

  test('creates and updates a post, sets its metrics, and deletes it', async () => {
    const input = { workspace: '{workspace}', profile: '{profile}', published_at: '2026-01-05T00:00:00Z' };
    const made = await mutate('posts.create', { ...input, metrics: { likes: 1 } });
    const id = stringAt(made.json, 'result', 'data', 'data', 'id');
    expect(at(made.json, 'result', 'data', 'data')).toEqual(await showPost(world, id));
    const changed = await mutate('posts.update', { id, text: 'Sun' });
    expect(at(changed.json, 'result', 'data', 'data')).toEqual(await showPost(world, id));
    const measured = await mutate('posts.updateMetrics', { id, shares: 2 });
    expect(at(measured.json, 'result', 'data', 'data', 'metrics')).toEqual({ ...noMetrics, likes: 1, shares: 2 });
    const deleted = await mutate('posts.delete', { id });
    expect([deleted.status, at(deleted.json, 'result', 'data')]).toEqual([200, null]);
    expect((await world.call(`GET /posts/${id}`)).status).toBe(404);
  });

  test('returns a result or an error for each call of a batch', async () => {
    const input = world.fill({ 0: { workspace: '{workspace}' }, 1: { id: '{media}' }, 2: { id: '{unknown}' } });
    const procedures = 'folders.list,media.get,media.get';
    const reply = await world.call(
      `GET /trpc/${procedures}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`,
    );
    expect([200, 207]).toContain(reply.status);
    expect(at(reply.json, 0, 'result', 'data', 'meta', 'current_page')).toBe(1);
    expect(at(reply.json, 1, 'result', 'data', 'data', 'id')).toBe(String(world.ids.media));
    expect(at(reply.json, 2, 'error', 'data', 'httpStatus')).toBe(404);
  });
});

describe('a tRPC error', () => {
  test('is reported for each call of a batch, and sets the status of the batch if all calls have the same error', async () => {
    const input = encodeURIComponent(
      JSON.stringify(world.fill({ 0: { workspace: '{workspace}' }, 1: { id: '{media}' } })),
    );
    const reply = await world.call(`GET /trpc/folders.list,media.get?batch=1&input=${input}`, { token: null });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    for (const call of [0, 1]) {
      expect(at(reply.json, call, 'error', 'data', 'httpStatus')).toBe(401);
      expect(at(reply.json, call, 'error', 'message')).toBe('Unauthenticated.');
    }
  });

  test('is 400 for a batch over the limit, for any method and format', async () => {
    const message = 'A batch must not have more than 50 calls.';
    for (const accept of ['application/json', 'application/jsonl'])
      for (const method of ['GET', 'POST']) {
        const path = Array.from({ length: 51 }, () => 'folders.list').join(',');
        const headers = { 'trpc-accept': accept, 'content-type': 'application/json' };
        const body = method === 'POST' ? { body: '{}' } : {};
        const reply = await world.call(`${method} /trpc/${path}?batch=1`, { headers, ...body });
        expect({ accept, method, status: reply.status }).toEqual({ accept, method, status: 400 });
        expect(at(reply.json, 'error', 'message')).toBe(message);
        expect(at(reply.json, 'error', 'data', 'httpStatus')).toBe(400);
      }
    const encoded = Array.from({ length: 51 }, () => 'folders.list').join('%2C');
    expect((await world.call(`GET /trpc/${encoded}?batch=1`)).status).toBe(400);
    const fifty = Array.from({ length: 50 }, () => 'folders.list').join(',');
    const input = world.fill(
      Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [nth, { workspace: '{workspace}' }])),
    );
    const whole = await world.call(`GET /trpc/${fifty}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`);
    expect(whole.status).toBe(200);
  });

  test('is 401, not a stream of errors, for a streamed batch (application/jsonl) without a valid token', async () => {
    const input = encodeURIComponent(
      JSON.stringify(world.fill({ 0: { workspace: '{workspace}' }, 1: { id: '{media}' } })),
    );
    const ask = (token: string | null) =>
      world.call(`GET /trpc/folders.list,media.get?batch=1&input=${input}`, {
        token,
        headers: { 'trpc-accept': 'application/jsonl' },
      });
    const revoked = await world.token('revoked-for-stream', '{workspace}');
    await world.run(['token', 'revoke', revoked]);
    for (const token of [null, 'a.b.c', 'revoked-for-stream']) {
      const reply = await ask(token);
      expect({ token, status: reply.status }).toEqual({ token, status: 401 });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expect(at(reply.json, 'error', 'message')).toBe('Unauthenticated.');
      expect(at(reply.json, 'error', 'data', 'httpStatus')).toBe(401);
    }
    const posted = await world.call('POST /trpc/folders.create,folders.create?batch=1', {
      token: null,
      headers: { 'trpc-accept': 'application/jsonl' },
      json: { 0: { workspace: '{workspace}', name: 'a' }, 1: { workspace: '{workspace}', name: 'b' } },
    });
    expect(posted.status).toBe(401);
    // If only some calls fail, the stream contains their errors together with the results of the other calls.
    const mixed = encodeURIComponent(
      JSON.stringify(world.fill({ 0: { workspace: '{workspace}' }, 1: { id: '{unknown}' } })),
    );
    const good = await world.call(`GET /trpc/folders.list,media.get?batch=1&input=${mixed}`, {
      headers: { 'trpc-accept': 'application/jsonl' },
    });
    expect(good.status).toBe(200);
    expect(good.text).toContain('current_page');
    expect(good.text).toContain('"httpStatus":404');
  });

  test("is 401 for every call of a batch that tRPC's own streaming link sends", async () => {
    const ask = (token: string) => {
      const link = httpBatchStreamLink({
        url: `${world.server.url}/trpc`,
        headers: { authorization: `Bearer ${token}` },
      });
      const client = createTRPCUntypedClient({ links: [link] });
      const workspace = String(world.ids.workspace);
      return Promise.allSettled([
        client.query('folders.list', { workspace }),
        client.query('profiles.list', { workspace }),
      ]);
    };
    for (const outcome of await ask('a.b.c'))
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { data: { httpStatus: 401 }, message: 'Unauthenticated.' },
      });
    for (const outcome of await ask(world.tokens.all ?? '')) expect(outcome.status).toBe('fulfilled');
  });

  test('has the headers that HTTP requires for its status', async () => {
    const unauthenticated = await query('media.get', { id: '{media}' }, null);
    expect(unauthenticated.headers.get('www-authenticate')).toBe('Bearer');
    const byGet = await query('folders.create', { workspace: '{workspace}', name: 'x' });
    expect({ status: byGet.status, allow: byGet.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    const byPost = await mutate('folders.list', { workspace: '{workspace}' });
    expect({ status: byPost.status, allow: byPost.headers.get('allow') }).toEqual({ status: 405, allow: 'GET' });
    expect((await query('folders.list', { workspace: '{workspace}' })).headers.has('allow')).toBe(false);
  });

  test('is 403 with the name of a missing scope', async () => {
    await world.token('reader', '{workspace}', ['--scope', 'folders:read']);
    const reply = await mutate('folders.create', { workspace: '{workspace}', name: 'x' }, 'reader');
    expectTrpcError(reply, 403);
    expect(stringAt(reply.json, 'error', 'message')).toContain('folders:write');
  });

  test('is the same 404 for unknown, malformed and foreign ids', async () => {
    const replies = await Promise.all(['{unknown}', 'not-a-uuid'].map((id) => query('media.get', { id })));
    const foreign = await query('folders.list', { workspace: '{foreign}' });
    for (const reply of [...replies, foreign]) expectTrpcError(reply, 404, 'Not found.');
    expect(replies[0]?.text).toBe(String(replies[1]?.text));
  });

  test('is 422 with the same errors as REST', async () => {
    const json = { name: 'n'.repeat(101), parent_id: 'nowhere' };
    const reply = await mutate('folders.create', { workspace: '{workspace}', ...json });
    expectTrpcError(reply, 422);
    const rest = await world.call('POST /workspaces/{workspace}/media_library/folders', { json });
    expect(at(reply.json, 'error', 'data', 'errors')).toEqual(at(rest.json, 'errors'));
    expect(at(reply.json, 'error', 'message')).toEqual(at(rest.json, 'message'));
  });

  test('is 404 for an unknown procedure', async () => {
    expectTrpcError(await query('no.such', {}), 404);
    expectTrpcError(await query('__proto__', {}), 404);
    expectTrpcError(await query('constructor.prototype', {}), 404);
  });

  const malformed: readonly [string, string, object?][] = [
    ['input that is not JSON', 'GET /trpc/folders.list?input={'],
    ['no input', 'GET /trpc/folders.list'],
    ['input null', 'GET /trpc/folders.list?input=null'],
    ['a batch without inputs', 'GET /trpc/folders.list,folders.list?batch=1'],
    ['a body that is not JSON', 'POST /trpc/folders.create', { 'content-type': 'application/json' }],
    ['an unknown method', 'DELETE /trpc/folders.create'],
    ['a path below a procedure', 'GET /trpc/folders.list/more'],
  ];
  for (const [name, send, headers] of malformed) {
    test(`is a client error in JSON for ${name}`, async () => {
      const reply = await world.call(send, headers === undefined ? {} : { headers: { ...headers }, body: '{"name"' });
      expect(reply.status).toBeGreaterThanOrEqual(send.includes(',') ? 200 : 400);
      expect(reply.status).toBeLessThan(500);
      expect(reply.json).toBeDefined();
      expect(reply.headers.get('content-type')).toStartWith('application/json');
      expect(reply.text).not.toMatch(/\bat .+:\d+:\d+|node_modules|"stack"/);
      expect((await world.call('GET /health')).status).toBe(200);
    });
  }
});

test('the mutations of a batch are independent of each other', async () => {
  const json = { 0: { workspace: '{workspace}', name: 'In a batch' }, 1: { workspace: '{workspace}', name: '' } };
  const reply = await world.call('POST /trpc/folders.create,folders.create?batch=1', { json });
  expect(reply.status).toBe(207);
  expect(at(reply.json, 0, 'result', 'data', 'data', 'name')).toBe('In a batch');
  expect(at(reply.json, 1, 'error', 'data', 'errors')).toEqual({ name: ['The name field is required.'] });
});

test('tRPC errors contain no stack, even with NODE_ENV=development', async () => {
  const own = await World.open({ NODE_ENV: 'development' });
  try {
    const input = encodeURIComponent('{"id":"x"}');
    const replies = [
      await own.call(`GET /trpc/media.get?input=${input}`),
      await own.call(`GET /trpc/media.get?input=${input}`, { token: null }),
      await own.call('GET /trpc/folders.list?input={'),
      await own.call('GET /trpc/no.such'),
      await own.call('POST /trpc/folders.create', { json: own.fill({ workspace: '{workspace}', name: 1 }) }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 401, 400, 404, 422]);
    for (const reply of replies) expectTrpcError(reply, reply.status);
  } finally {
    await own.close();
  }
});
