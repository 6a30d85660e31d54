import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { multipart } from '../support/multipart.ts';
import { at, stringAt } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { type Row, table } from '../support/table.ts';
import type { CallOptions } from '../support/world.ts';
import { World } from '../support/world.ts';
import { importAll, line, ndjson } from './support/imports.ts';
import { createPost, makePost, makeProfile, posts, profiles, showPost } from './support/posts.ts';

setDefaultTimeout(60_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
  world.ids.post = (await makePost(world, { external_id: 'known' })).id;
  world.ids.foreignProfile = await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
  const foreign = await world.call('POST /workspaces/{foreign}/posts', {
    token: 'foreign',
    json: { profile: '{foreignProfile}', published_at: '2026-01-02T03:04:05Z', external_id: 'theirs' },
  });
  world.ids.foreignPost = stringAt(foreign.json, 'data', 'id');
  const body = multipart([{ name: 'files[]', filename: 'secret.png', value: png() }]);
  const stored = await world.call('POST /workspaces/{foreign}/media_contents', {
    token: 'foreign',
    headers: { 'content-type': body.contentType },
    body: body.bytes,
  });
  world.ids.foreignMedia = String(mediaItems(stored)[0]?.id);
});

afterAll(() => world.close());

const newPost = { profile: '{profile}', published_at: '2026-01-02T03:04:05Z' };
const oneLine = (): CallOptions => ({ headers: ndjson, body: line(world, { external_id: 'by scope' }) });

/** Every operation on profiles, posts and best times, its scope, and a request that it takes. */
const operations: readonly [send: string, scope: string, request: () => CallOptions, status: number][] = [
  [`GET ${profiles}`, 'analytics:read', () => ({}), 200],
  [`POST ${profiles}`, 'analytics:write', () => ({ json: { name: 'New', network: 'x' } }), 201],
  [`GET ${posts}`, 'analytics:read', () => ({}), 200],
  [`POST ${posts}`, 'analytics:write', () => ({ json: newPost }), 201],
  [`POST ${posts}/import`, 'analytics:write', oneLine, 200],
  ['GET /posts/{post}', 'analytics:read', () => ({}), 200],
  ['PUT /posts/{post}/metrics', 'analytics:write', () => ({ json: { likes: 1 } }), 200],
  ['GET /analytics/best_times?workspace={workspace}', 'analytics:read', () => ({}), 200],
  ['GET /analytics/best_times?profile={profile}', 'analytics:read', () => ({}), 200],
  ['DELETE /posts/{post}', 'analytics:write', () => ({}), 204],
];

/** One that would be refused by the rules of its body, were it looked at. */
const nonsense = (send: string): CallOptions => {
  if (send.includes('/import')) return { headers: ndjson, body: 'nonsense' };
  return /^(POST|PUT)/.test(send) ? { json: { metrics: 5 } } : {};
};

describe('"A missing or invalid token yields 401 with {message}"', () => {
  for (const [send] of operations) {
    for (const [name, token] of [
      ['none', null],
      ['not one', 'a.b.c'],
    ] as const) {
      test(`${send}, ${name}`, async () => {
        const reply = await world.call(send, { ...nonsense(send), token });
        expect({ status: reply.status, json: reply.json }).toEqual({
          status: 401,
          json: { message: 'Unauthenticated.' },
        });
        expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      });
    }
  }
});

describe('"A missing scope: 403 {message} naming the scope"', () => {
  beforeAll(async () => {
    const all = ['media:read', 'media:write', 'folders:read', 'folders:write', 'analytics:read', 'analytics:write'];
    for (const scope of ['analytics:read', 'analytics:write']) {
      const others = all.filter((other) => other !== scope).flatMap((other) => ['--scope', other]);
      await world.token(`without ${scope}`, '{workspace}', others);
      await world.token(`only ${scope}`, '{workspace}', ['--scope', scope]);
    }
  });

  table(
    () => world,
    operations.map(([send, scope]): Row => {
      const row = { name: `${send} needs ${scope}`, send, token: `without ${scope}`, status: 403 };
      return { ...row, ...nonsense(send), message: new RegExp(scope) };
    }),
  );

  for (const [send, scope, request, status] of operations) {
    test(`${send}: ${scope} is enough`, async () => {
      world.ids.post = (await makePost(world)).id;
      const reply = await world.call(send, { ...request(), token: `only ${scope}` });
      expect({ status: reply.status, body: reply.text }).toEqual({ status, body: reply.text });
    });
  }
});

describe('"malformed, unknown, deleted, or in a workspace which the token may not enter: the same 404"', () => {
  const inPaths = operations.filter(([send]) => !send.includes('best_times'));
  for (const [send, , request] of inPaths) {
    test(send, async () => {
      const places = send.includes('{workspace}')
        ? ['{foreign}', '{unknown}', 'not-a-uuid', '%00', '..%2f']
        : ['{foreignPost}', '{unknown}', 'not-a-uuid', '%00', '{workspace}', '{profile}'];
      for (const place of places) {
        const reply = await world.call(send.replace(/\{(workspace|post)\}/, place), request());
        expect({ place, status: reply.status, json: reply.json }).toEqual({
          place,
          status: 404,
          json: { message: 'Not found.' },
        });
      }
    });

    test(`${send}: also before the body is looked at`, async () => {
      const foreign = send.replace('{workspace}', '{foreign}').replace('{post}', '{foreignPost}');
      const reply = await world.call(foreign, nonsense(send));
      expect({ status: reply.status, json: reply.json }).toEqual({ status: 404, json: { message: 'Not found.' } });
    });
  }

  test('what is there elsewhere is still there, unchanged', async () => {
    const reply = await world.call('GET /posts/{foreignPost}', { token: 'foreign' });
    expect(at(reply.json, 'data', 'metrics', 'likes')).toBe(0);
  });
});

describe('"One that stands in a body or query: 422 on that field", told from an unknown one by nothing', () => {
  test('a medium of another workspace', async () => {
    const elsewhere = await createPost(world, { media_content_ids: ['{foreignMedia}'] });
    const unknown = await createPost(world, { media_content_ids: ['{unknown}'] });
    expect(elsewhere.status).toBe(422);
    expect(elsewhere.text).toBe(unknown.text);
  });

  test('a profile of another workspace, with an external_id that is taken there', async () => {
    const elsewhere = await createPost(world, { profile: '{foreignProfile}', external_id: 'theirs' });
    const unknown = await createPost(world, { profile: '{unknown}', external_id: 'theirs' });
    expect(elsewhere.status).toBe(422);
    expect(elsewhere.text).toBe(unknown.text);
  });

  test('both in lines of an import, which touch nothing there', async () => {
    const [theirs, nobodys] = ['{foreignProfile}', '{unknown}'].map((profile) =>
      line(world, { profile, external_id: 'theirs', metrics: { likes: 99 } }),
    );
    const media = ['{foreignMedia}', '{unknown}'].map((id) =>
      line(world, { external_id: 'mine', media_content_ids: [id] }),
    );
    const { rejections, created, updated } = await importAll(world, [theirs, nobodys, ...media].join('\n'));
    expect({ created, updated }).toEqual({ created: 0, updated: 0 });
    expect(rejections.map((one) => Object.keys(one.errors))).toEqual([
      ['profile'],
      ['profile'],
      ['media_content_ids.0'],
      ['media_content_ids.0'],
    ]);
    expect({ ...rejections[0], line: 2 }).toEqual({ ...rejections[1], line: 2 });
    expect({ ...rejections[2], line: 4 }).toEqual({ ...rejections[3], line: 4 });
    const reply = await world.call('GET /posts/{foreignPost}', { token: 'foreign' });
    expect(at(reply.json, 'data', 'metrics', 'likes')).toBe(0);
  });

  test('best times of a workspace and of a profile elsewhere', async () => {
    for (const [field, elsewhere] of [
      ['workspace', '{foreign}'],
      ['profile', '{foreignProfile}'],
    ] as const) {
      const replies = await Promise.all(
        [elsewhere, '{unknown}'].map((id) => world.call(`GET /analytics/best_times?${field}=${id}`)),
      );
      expect(replies.map((reply) => reply.status)).toEqual([422, 422]);
      expect(Object.keys(Object(at(replies[0]?.json, 'errors')))).toEqual([field]);
      expect(replies[0]?.text).toBe(String(replies[1]?.text));
    }
  });

  test('a token that enters both workspaces still keeps them apart', async () => {
    await world.token('both', '{workspace}', ['--workspace', String(world.ids.foreign)]);
    const options = { token: 'both' };
    expect((await createPost(world, { profile: '{foreignProfile}' }, options)).status).toBe(422);
    expect((await createPost(world, { media_content_ids: ['{foreignMedia}'] }, options)).status).toBe(422);
    const lines = [
      line(world, { profile: '{foreignProfile}', external_id: 'a' }),
      line(world, { external_id: 'b', media_content_ids: ['{foreignMedia}'] }),
    ];
    expect((await importAll(world, lines.join('\n'), options)).rejected).toBe(2);
    expect((await world.call(`GET ${posts}?profile={foreignProfile}`, options)).status).toBe(422);
    expect((await world.call('GET /posts/{foreignPost}', options)).status).toBe(200);
  });
});

describe('"Known path, wrong method: 405 with Allow"', () => {
  const wrong: readonly [string, RegExp][] = [
    [`DELETE ${profiles}`, /GET.*POST|POST.*GET/],
    [`PATCH ${posts}`, /GET.*POST|POST.*GET/],
    [`GET ${posts}/import`, /POST/],
    ['PUT /posts/{post}', /GET.*DELETE|DELETE.*GET/],
    ['POST /posts/{post}/metrics', /PUT/],
    ['GET /posts/{post}/metrics', /PUT/],
    ['POST /analytics/best_times', /GET/],
  ];
  table(
    () => world,
    wrong.map(([send, allow]): Row => ({ name: send, send, status: 405, replyHeaders: { allow } })),
  );
});

describe('A token revoked is refused from the next request on', () => {
  test('on posts as everywhere', async () => {
    const id = await world.token('short', '{workspace}');
    expect((await world.call(`GET ${posts}`, { token: 'short' })).status).toBe(200);
    await world.run(['token', 'revoke', id]);
    expect((await world.call(`GET ${posts}`, { token: 'short' })).status).toBe(401);
    const untouched = (await makePost(world)).id;
    expect((await world.call(`DELETE /posts/${untouched}`, { token: 'short' })).status).toBe(401);
    expect((await showPost(world, untouched)).id).toBe(untouched);
  });
});
