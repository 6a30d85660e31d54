import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createPost, makePost, makeProfile, noMetrics, posts, profiles, showPost } from '../posts/support/posts.ts';
import { at, keysOf, type Reply, stringAt } from '../support/reply.ts';
import { uuid } from '../support/shapes.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
  world.ids.post = (await makePost(world, { text: 'Known', metrics: { likes: 4 } })).id;
  world.ids.foreignProfile = await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
});

afterAll(() => world.close());

function query(procedure: string, input: object, token: string | null = 'all'): Promise<Reply> {
  return world.call(`GET /trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(world.fill(input)))}`, { token });
}

function mutate(procedure: string, json: object, token: string | null = 'all'): Promise<Reply> {
  return world.call(`POST /trpc/${procedure}`, { json, token });
}

const result = (reply: Reply) => {
  expect({ status: reply.status, body: reply.text.slice(0, 500) }).toMatchObject({ status: 200 });
  return at(reply.json, 'result', 'data');
};

describe('The same results on /trpc as on /v1', () => {
  const sameAsRest: readonly [string, object, string][] = [
    ['profiles.list', { workspace: '{workspace}' }, `GET ${profiles}`],
    ['posts.list', { workspace: '{workspace}' }, `GET ${posts}`],
    [
      'posts.list',
      { workspace: '{workspace}', profile: '{profile}', from: '2026-01-01', to: '2026-02-01', per_page: 1 },
      `GET ${posts}?profile={profile}&from=2026-01-01&to=2026-02-01&per_page=1`,
    ],
    ['posts.get', { id: '{post}' }, 'GET /posts/{post}'],
    [
      'analytics.bestTimes',
      { workspace: '{workspace}', from: '2026-01-01', to: '2026-02-01' },
      'GET /analytics/best_times?workspace={workspace}&from=2026-01-01&to=2026-02-01',
    ],
    [
      'analytics.bestTimes',
      { profile: '{profile}', from: '2026-01-01', to: '2026-02-01' },
      'GET /analytics/best_times?profile={profile}&from=2026-01-01&to=2026-02-01',
    ],
  ];
  for (const [procedure, input, send] of sameAsRest) {
    test(`${procedure} ${JSON.stringify(input)}`, async () => {
      const rest = await world.call(send);
      expect(rest.status).toBe(200);
      expect(result(await query(procedure, input))).toEqual(rest.json);
    });
  }

  test('profiles.create', async () => {
    const made = result(await mutate('profiles.create', { workspace: '{workspace}', name: ' By tRPC ', network: 'x' }));
    expect(made).toEqual({
      data: { id: expect.stringMatching(uuid), name: 'By tRPC', network: 'x' },
      message: expect.any(String),
    });
  });

  test('posts.create, posts.updateMetrics, posts.delete', async () => {
    const input = { workspace: '{workspace}', profile: '{profile}', published_at: '2026-01-05T00:00:00Z' };
    const made = result(await mutate('posts.create', { ...input, metrics: { likes: 1 } }));
    const id = stringAt(made, 'data', 'id');
    expect(at(made, 'data')).toEqual(await showPost(world, id));
    const measured = result(await mutate('posts.updateMetrics', { id, shares: 2 }));
    expect(at(measured, 'data', 'metrics')).toEqual({ ...noMetrics, likes: 1, shares: 2 });
    expect(at(measured, 'data')).toEqual(await showPost(world, id));
    expect(result(await mutate('posts.delete', { id }))).toBeNull();
    expect((await world.call(`GET /posts/${id}`)).status).toBe(404);
  });
});

describe('The same errors', () => {
  function expectTrpcError(reply: Reply, status: number, message: string | RegExp): void {
    expect({ status: reply.status, body: reply.text.slice(0, 500) }).toMatchObject({ status });
    expect(at(reply.json, 'error', 'data', 'httpStatus')).toBe(status);
    expect(stringAt(reply.json, 'error', 'message')).toMatch(message);
    expect(keysOf(at(reply.json, 'error', 'data'))).not.toContain('stack');
  }

  test('422 with the errors of REST', async () => {
    const json = { profile: '{foreignProfile}', published_at: 'x', metrics: { likes: -1 } };
    const rest = await createPost(world, json);
    const reply = await mutate('posts.create', { workspace: '{workspace}', ...json });
    expectTrpcError(reply, 422, /./);
    expect(at(reply.json, 'error', 'data', 'errors')).toEqual(at(rest.json, 'errors'));
    const both = await query('analytics.bestTimes', { workspace: '{workspace}', profile: '{profile}' });
    expectTrpcError(both, 422, /./);
    expect(keysOf(at(both.json, 'error', 'data', 'errors'))).toEqual(['profile', 'workspace']);
  });
});
