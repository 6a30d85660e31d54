import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { importAll, line } from '../posts/support/imports.ts';
import { makeProfile } from '../posts/support/posts.ts';
import { issue } from '../presign/support/uploads.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, type Reply } from '../support/reply.ts';
import { row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
  const store = async (name: string, bytes: Uint8Array) => (await world.storeOne(file(name, bytes))).id;
  world.ids.photo = await store('one.jpg', jpeg());
  world.ids.drawing = await store('two.png', png());
  world.ids.video = await store('film.mp4', mp4());
  world.ids.announced = (await issue(world, jpeg())).id;
  world.ids.profile = await makeProfile(world);
  const named = async (network: string): Promise<string> => {
    const json = { name: network, network };
    return String(at((await world.call('POST /workspaces/{workspace}/profiles', { json })).json, 'data', 'id'));
  };
  world.ids.pinterest = await named('Pinterest');
  world.ids.unknownNetwork = await named('MySpace');
});

afterAll(() => world.close());

/** The fields that a 422 names, with any wording of their errors. */
const fails = (...fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, true as const]));

const item = 'GET /media_contents/{photo}/readiness';
const set = 'POST /workspaces/{workspace}/readiness';

/** The targets, verdicts and rules in an answer, in the order of the answer. */
const brief = ({ json }: Reply) =>
  Object.values(Object(at(json, 'data'))).map((one) => [
    at(one, 'target'),
    at(one, 'verdict'),
    ...Object.values(Object(at(one, 'problems'))).map((problem) => at(problem, 'rule')),
  ]);

const names = (reply: Reply) => brief(reply).map(([name]) => name);

test('GET /networks shows all targets and rules to any token, and items are checked for the same targets', async () => {
  const networks = await world.call('GET /networks', { token: 'folders' });
  expect(networks.status).toBe(200);
  const headers = { 'if-none-match': networks.headers.get('etag') ?? '' };
  expect(await world.call('GET /networks', { token: 'folders', headers })).toMatchObject({ status: 304, text: '' });
  expect(at(networks.json, 'data', 1)).toMatchObject({ target: 'instagram.reel' });
  expect(at(networks.json, 'data', 1, 'rules')).toContainEqual({
    rule: 'instagram.reel.video.duration.max',
    severity: 'error',
    limit: 900,
    unit: 'seconds',
    source: expect.stringMatching(/^https:\/\/github\.com\/fbsamples\//),
    checked_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  expect(names(await world.call(item))).toEqual(names(networks));
});

describe('the readiness of an item', () => {
  test('is reported for the requested targets, each once, in their order', async () => {
    const reply = await world.call(`${item}?targets=x.post,%20instagram.feed&targets=x.post`);
    expect(brief(reply)).toEqual([
      ['x.post', 'ready'],
      ['instagram.feed', 'warning', 'instagram.feed.image.width.min'],
    ]);
    expect(at(reply.json, 'data', 1, 'problems', 0)).toEqual({
      rule: 'instagram.feed.image.width.min',
      severity: 'warning',
      media_content_id: world.ids.photo,
      limit: 320,
      actual: 40,
      unit: 'pixels',
      message: expect.stringContaining('320 pixels'),
      remedy: expect.any(String),
    });
  });

  table(
    () => world,
    [
      row('is refused for an unknown target', `${item}?targets=x.post,x.pots`, undefined, 422, fails('targets')),
      row('is refused for an empty target', `${item}?targets=x.post,`, undefined, 422, fails('targets')),
      row(
        'is refused for an item that is not uploaded yet',
        'GET /media_contents/{announced}/readiness',
        undefined,
        422,
        fails('media_content'),
      ),
      row('is answered 404 for the id of something else', 'GET /media_contents/{foreign}/readiness', undefined, 404),
    ],
  );
});

describe('the readiness of links', () => {
  const rules = (reply: Reply) =>
    brief(reply).flatMap(([, , ...found]) => found.filter((rule) => /\.link\./.test(String(rule))));
  const targets = ['tiktok.post', 'instagram.feed', 'x.post'];
  const json = { targets, media_content_ids: ['{photo}'] };
  // The links of this server have an address of this machine and use http.
  const local = [
    'tiktok.post.link.scheme',
    'tiktok.post.link.public',
    'instagram.feed.link.public',
    'x.post.link.public',
  ];

  test('is checked only on request, for an item and for a set', async () => {
    const one = `${item}?targets=${targets}`;
    expect(rules(await world.call(one))).toEqual([]);
    expect(rules(await world.call(`${one}&include=link`))).toEqual(local);
    expect(rules(await world.call(set, { json }))).toEqual([]);
    expect(rules(await world.call(`${set}?include=link`, { json }))).toEqual(local);
    const called = await world.call('POST /trpc/readiness.set', {
      json: { workspace: '{workspace}', ...json, include: 'link' },
    });
    expect(rules({ ...called, json: at(called.json, 'result', 'data') })).toEqual(local);
  });

  test('requires signed links to outlive a planned post', async () => {
    const id = world.ids.workspace ?? '';
    const expiry = ['tiktok.post.link.expiry', 'instagram.feed.link.expiry', 'x.post.link.expiry'];
    const inDays = (days: number) => ({
      ...json,
      published_at: new Date(Date.now() + days * 86_400_000).toISOString(),
    });
    const found = async (body: object) =>
      rules(await world.call(`${set}?include=link`, { json: body })).filter((rule) => !local.includes(String(rule)));
    await world.command(['workspace', 'update', id, '--links', 'signed']);
    expect([await found(json), await found(inDays(6)), await found(inDays(8))]).toEqual([expiry, [], expiry]);
    await world.command(['workspace', 'update', id, '--links', 'public']);
    expect(await found(inDays(8))).toEqual([]);
  });

  table(
    () => world,
    [
      row('is refused for an unknown include of an item', `${item}?include=links`, undefined, 422, fails('include')),
      row('is refused for an unknown include of a set', `${set}?include=details`, json, 422, fails('include')),
      row('is refused for an invalid time', set, { ...json, published_at: 'soon' }, 422, fails('published_at')),
    ],
  );
});

describe('the readiness of a set', () => {
  const targets = ['pinterest.pin', 'x.post'];

  test('is determined as if all items were in one post', async () => {
    const json = { targets, media_content_ids: ['{photo}', '{drawing}', '{video}'] };
    const reply = await world.call(set, { json });
    const [[, ...pin] = [], [, ...post] = []] = brief(reply);
    expect(pin).toEqual(expect.arrayContaining(['not_ready', 'pinterest.pin.image.count.max']));
    expect(post).toEqual(expect.arrayContaining(['not_ready', 'x.post.kinds']));
    const kinds = Object.values(Object(at(reply.json, 'data', 1, 'problems'))).at(-1);
    expect(kinds).toMatchObject({ rule: 'x.post.kinds', media_content_id: null, actual: 'image+video' });
  });

  test('is checked with overridden limits, over REST and tRPC', async () => {
    const input = { targets: ['x.post'], media_content_ids: ['{photo}'], overrides: { 'x.post.image.bytes.max': 39 } };
    const wanted = [['x.post', 'not_ready', 'x.post.image.bytes.max']];
    expect(brief(await world.call(set, { json: input }))).toEqual(wanted);
    const called = await world.call('POST /trpc/readiness.set', { json: { workspace: '{workspace}', ...input } });
    expect(brief({ ...called, json: at(called.json, 'result', 'data') })).toEqual(wanted);
  });

  test('is refused with 413 for the later calls of a batch whose results exceed the size limit', async () => {
    const videos = Array.from({ length: 100 }, () => '{video}');
    const calls = Array.from({ length: 50 }, () => ({ workspace: '{workspace}', media_content_ids: videos }));
    const procedures = calls.map(() => 'readiness.set').join();
    const reply = await world.call(`POST /trpc/${procedures}?batch=1`, { json: { ...calls } });
    const statuses = Object.values(Object(reply.json)).map((one) => at(one, 'error', 'data', 'httpStatus') ?? 200);
    expect([statuses.at(0), statuses.at(-1)]).toEqual([200, 413]);
    expect(reply.bytes.length).toBeLessThan(9_100_000);
  });

  const ids = ['{photo}'];
  const length = (count: number) => Array.from({ length: count }, () => '{photo}');
  table(
    () => world,
    [
      row(
        'is reported for all targets and the same item a hundred times',
        set,
        { media_content_ids: length(100) },
        200,
      ),
      row('is refused for too many items', set, { media_content_ids: length(101) }, 422, fails('media_content_ids')),
      row('is refused for no items', set, { media_content_ids: [] }, 422, fails('media_content_ids')),
      row(
        'is refused for an item that is not uploaded yet',
        set,
        { media_content_ids: ['{photo}', '{announced}'] },
        422,
        fails('media_content_ids.1'),
      ),
      row(
        'is refused for unknown targets',
        set,
        { targets: ['x.post', 'x'], media_content_ids: ids },
        422,
        fails('targets.1'),
      ),
      row(
        'is refused with all failing fields',
        set,
        {
          targets: 'x.post',
          media_content_ids: ['{announced}', 'x'],
          overrides: {
            'x.post.kinds': 1,
            'x.post.count.maximum': 2,
            'x.post.image.count.max': 0,
            'x.post.gif.count.max': '1',
          },
        },
        422,
        fails(
          'media_content_ids.0',
          'media_content_ids.1',
          'overrides.x.post.count.maximum',
          'overrides.x.post.gif.count.max',
          'overrides.x.post.image.count.max',
          'overrides.x.post.kinds',
          'targets',
        ),
      ),
      row(
        'is refused for overrides that are an array',
        set,
        { media_content_ids: ids, overrides: [1] },
        422,
        fails('overrides.0'),
      ),
      row(
        'is refused for more overrides than there are limits',
        set,
        { media_content_ids: ids, overrides: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`a${n}`, 1])) },
        422,
        fails('overrides'),
      ),
    ],
  );
});

describe('posts within 24 hours', () => {
  const due = '2026-11-02T12:00:00Z';
  const ask = async (fields: object) => {
    const json = { media_content_ids: ['{photo}'], targets: ['instagram.story', 'x.post'], ...fields };
    const { json: answer } = await world.call(set, { json });
    return Object.values(Object(at(answer, 'data'))).flatMap((one) =>
      Object.values(Object(at(one, 'problems'))).filter((problem) =>
        /posts_per_day$/.test(String(at(problem, 'rule'))),
      ),
    );
  };

  beforeAll(async () => {
    world.ids.busy = await makeProfile(world, 'Busy');
    const hours = Array.from({ length: 50 }, (_, post) => `2026-11-02T${String(post % 24).padStart(2, '0')}:30:00Z`);
    const lines = hours.map((at, post) => line(world, { profile: '{busy}', published_at: at, external_id: `${post}` }));
    expect(await importAll(world, lines.join('\n'))).toMatchObject({ created: 50 });
  });

  test('are counted for the network of a given profile', async () => {
    expect(await ask({ profile: '{busy}', published_at: due })).toEqual([
      {
        rule: 'instagram.story.posts_per_day',
        severity: 'warning',
        media_content_id: null,
        limit: 50,
        actual: 51,
        unit: 'posts',
        message: expect.stringContaining('limit of 50 posts'),
        remedy: 'Plan it for another day.',
      },
    ]);
    const limit = { 'instagram.story.posts_per_day': 60 };
    expect(await ask({ profile: '{busy}', published_at: due, overrides: limit })).toEqual([]);
  });

  test('are not counted on another day, without a time, or for another profile', async () => {
    expect(await ask({ profile: '{busy}', published_at: '2026-11-05T12:00:00Z' })).toEqual([]);
    expect(await ask({ profile: '{busy}' })).toEqual([]);
    expect(await ask({ profile: '{profile}', published_at: due })).toEqual([]);
  });

  test('are counted if a new post is created with include=readiness', async () => {
    const json = { profile: '{busy}', published_at: due, media_content_ids: ['{photo}'] };
    const made = await world.call('POST /workspaces/{workspace}/posts?include=readiness', { json });
    expect(brief({ json: { data: at(made.json, 'data', 'readiness') } } as Reply).flat()).toContain(
      'instagram.feed.posts_per_day',
    );
  });

  table(
    () => world,
    [
      row(
        'are not counted for an unknown profile, which is refused',
        set,
        { media_content_ids: ['{photo}'], profile: '018f2f1e-0000-7000-8000-000000000000', published_at: due },
        422,
        fails('profile'),
      ),
    ],
  );
});

describe('a new post', () => {
  const posts = 'POST /workspaces/{workspace}/posts';
  const post = { published_at: '2026-01-31T18:30:00Z', media_content_ids: ['{photo}', '{drawing}'] };
  const create = async (profile: string, query: string, more: object = {}) =>
    at((await world.call(`${posts}${query}`, { json: { ...post, ...more, profile } })).json, 'data');

  test('reports on request whether its media fit its network, and is created in either case', async () => {
    const made = await create('{pinterest}', '?include=readiness');
    expect(brief({ json: { data: at(made, 'readiness') } } as Reply)).toEqual([
      ['pinterest.pin', 'not_ready', 'pinterest.pin.equal_size'],
    ]);
    expect((await world.call(`GET /posts/${at(made, 'id')}`)).status).toBe(200);
  });

  test('reports null for a network without rules, and nothing unless readiness is requested', async () => {
    expect(await create('{unknownNetwork}', '?include=readiness')).toHaveProperty('readiness', null);
    expect(await create('{pinterest}', '', { include: 'readiness' })).not.toHaveProperty('readiness');
  });

  table(
    () => world,
    [
      row(
        'is refused with another value of include',
        `${posts}?include=usage`,
        { ...post, profile: '{profile}' },
        422,
        fails('include'),
      ),
    ],
  );
});
