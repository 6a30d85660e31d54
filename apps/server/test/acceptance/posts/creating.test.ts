import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import {
  createPost,
  makePost,
  makeProfile,
  noMetrics,
  onePost,
  type PostResource,
  postCount,
  posts,
  showPost,
} from './support/posts.ts';

let world: World;

beforeAll(async () => {
  world = await World.open({}, ['--timezone', 'europe/berlin']);
  world.ids.profile = await makeProfile(world);
  world.ids.second = await makeProfile(world, 'Second');
  world.ids.foreignProfile = await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
  world.ids.picture = (await world.storeOne(file('one.png', png()))).id;
  world.ids.other = (await world.storeOne(file('two.png', png()))).id;
});

afterAll(() => world.close());

const greatest = 100_000_000_000;

const DAY = 24 * 60 * 60 * 1000;

describe('creating a post', () => {
  test('returns all fields, as GET /posts/{id} does', async () => {
    const metrics = { impressions: 1, likes: 2, comments: 3, shares: 4, saves: 5, clicks: greatest };
    const made = await makePost(world, {
      published_at: '2026-01-02T08:49:05.678+05:45',
      text: 'Sea, sun 🌊',
      media_content_ids: ['{other}', '{picture}'],
      metrics,
      external_id: 'network-1',
    });
    expect(made).toEqual(
      world.fill({
        id: made.id,
        profile: '{profile}',
        external_id: 'network-1',
        published_at: '2026-01-02T03:04:05.678Z',
        text: 'Sea, sun 🌊',
        media_content_ids: ['{other}', '{picture}'],
        metrics,
      }),
    );
    expect(await showPost(world, made.id)).toEqual(made);
  });

  test('sets missing fields to null, 0 or an empty list, and ignores unknown metrics', async () => {
    const made = await makePost(world);
    expect(made).toMatchObject({ external_id: null, text: null, media_content_ids: [], metrics: noMetrics });
    expect(await showPost(world, made.id)).toEqual(made);
    const some = await makePost(world, { metrics: { likes: 3, views: 9, constructor: 1 } });
    expect(some.metrics).toEqual({ ...noMetrics, likes: 3 });
    const unknown = await makePost(world, { metrics: { likes: 3, saves: null } });
    expect(unknown.metrics).toEqual({ ...noMetrics, likes: 3 });
  });

  test('takes no fields from __proto__', async () => {
    const reply = await world.call(`POST ${posts}`, {
      headers: { 'content-type': 'application/json' },
      body: `{"published_at": "2026-01-02T03:04:05Z", "__proto__": {"profile": "${world.ids.profile}"}}`,
    });
    expect(reply.status).toBe(422);
    const metrics = await world.call(`POST ${posts}`, {
      headers: { 'content-type': 'application/json' },
      body: `{"profile": "${world.ids.profile}", "published_at": "2026-01-02T03:04:05Z", "metrics": {"__proto__": {"likes": 5}}}`,
    });
    expect(onePost(metrics, 201).metrics).toEqual(noMetrics);
  });

  const instants: readonly [string, string][] = [
    ['2026-01-02T03:04:05.678999Z', '2026-01-02T03:04:05.678Z'],
    ['2026-07-02 03:04', '2026-07-02T01:04:00.000Z'],
  ];
  for (const [given, shown] of instants) {
    test(`stores published_at ${given} as ${shown}`, async () => {
      const made = await makePost(world, { published_at: given });
      expect(made.published_at).toBe(shown);
      expect(await showPost(world, made.id)).toEqual(made);
    });
  }

  test('accepts a text of 65,535 code points, and one with special characters of SQL and JSON', async () => {
    for (const text of ['🌊'.repeat(65_535), `'; DROP TABLE posts; -- {} \\ \ufeff \u202e`]) {
      expect((await showPost(world, (await makePost(world, { text })).id)).text).toBe(text);
    }
  });
});

describe('an invalid post', () => {
  const refused: readonly [string, object, Row['invalid']][] = [
    [
      'missing required fields',
      { profile: undefined, published_at: undefined },
      { profile: 'The profile field is required.', published_at: 'The published at field is required.' },
    ],
    ['profile "{foreignProfile}"', { profile: '{foreignProfile}' }, { profile: true }],
    // packages/domain/test/dates/date-range.test.ts tests every form of a time.
    ...['2026-01-02', '1999-12-31T23:59:59.999Z', 1_767_323_045].map(
      (published_at): [string, object, Row['invalid']] => [
        `published_at ${JSON.stringify(published_at)}`,
        { published_at },
        { published_at: true },
      ],
    ),

    ['a text with a lone surrogate', { text: 'before\ud800after' }, { text: true }],
    ['a text of 65,536 code points', { text: '🌊'.repeat(65_536) }, { text: true }],
    ['an external_id of 256 characters', { external_id: 'x'.repeat(256) }, { external_id: true }],
    [
      'a repeated media item, at each repeated index',
      { media_content_ids: ['{picture}', '{other}', '{picture}', '{picture}'] },
      { 'media_content_ids.2': true, 'media_content_ids.3': true },
    ],
    ['metrics below 0', { metrics: { likes: -1, clicks: -1 } }, { 'metrics.likes': true, 'metrics.clicks': true }],
    ...[greatest + 1, '5'].map((likes): [string, object, Row['invalid']] => [
      `likes ${JSON.stringify(likes)}`,
      { metrics: { likes } },
      { 'metrics.likes': true },
    ]),
    [
      'many invalid fields, all of which are reported',
      {
        profile: '{unknown}',
        published_at: 'x',
        text: 5,
        external_id: '',
        media_content_ids: ['x', '{unknown}'],
        metrics: { likes: -1, saves: 1.5 },
      },
      {
        profile: true,
        published_at: true,
        text: true,
        external_id: true,
        'media_content_ids.0': true,
        'media_content_ids.1': true,
        'metrics.likes': true,
        'metrics.saves': true,
      },
    ],
  ];
  let before: number;
  beforeAll(async () => {
    before = await postCount(world);
  });
  afterAll(async () => expect(await postCount(world)).toBe(before));
  const json = { profile: '{profile}', published_at: '2026-01-02T03:04:05Z' };
  table(
    () => world,
    refused.map(([name, fields, invalid]): Row => {
      const row = { name: `is refused for ${name}`, send: `POST ${posts}`, json: { ...json, ...fields }, status: 422 };
      return { ...row, ...(invalid && { invalid }) };
    }),
  );
});

test('a post cannot have more than 50 media items', async () => {
  const ids = Array.from({ length: 51 }, (_, nth) => `01890000-0000-7000-8000-0000000000${nth + 10}`);
  const over = await createPost(world, { media_content_ids: ids });
  expect(Object.keys(Object(Object(over.json).errors))).toContain('media_content_ids');
  const all = await createPost(world, { media_content_ids: ids.slice(1) });
  expect(Object.keys(Object(Object(all.json).errors))).toHaveLength(50);
});

describe('an external_id', () => {
  test('is case-sensitive and unique in its profile, and may have 255 characters or be null', async () => {
    await makePost(world, { external_id: 'Taken' });
    const again = await createPost(world, { external_id: 'Taken' });
    expect(again.status).toBe(422);
    expect(Object.keys(Object(Object(again.json).errors))).toEqual(['external_id']);
    await makePost(world, { external_id: 'Taken', profile: '{second}' });
    await makePost(world, { external_id: 'taken' });
    await makePost(world, { external_id: 'x'.repeat(255) });
    await makePost(world, { external_id: '🌊'.repeat(255) });
    for (let time = 0; time < 2; time++) await makePost(world, { external_id: null });
  });
});

test('a deleted post is answered 404, and is not listed', async () => {
  const { id } = await makePost(world);
  const before = await postCount(world);
  const reply = await world.call(`DELETE /posts/${id}`);
  expect({ status: reply.status, body: reply.text }).toEqual({ status: 204, body: '' });
  for (const send of [`GET /posts/${id}`, `DELETE /posts/${id}`]) {
    expect((await world.call(send)).json).toEqual({ message: 'Not found.' });
  }
  const measured = await world.call(`PUT /posts/${id}/metrics`, { json: { likes: 1 } });
  expect({ status: measured.status, json: measured.json }).toEqual({ status: 404, json: { message: 'Not found.' } });
  expect(await postCount(world)).toBe(before - 1);
});

describe('updating a post', () => {
  let kept: PostResource;
  const patch = 'PATCH /posts/{changed}';
  const change = async (json: object) => onePost(await world.call(patch, { json }), 200);

  beforeAll(async () => {
    world.ids.freed = (await world.storeOne(file('freed.png', png()))).id;
    await makePost(world, { external_id: 'in-use' });
    const metrics = { likes: 3, saves: 1 };
    kept = await makePost(world, { text: 'Sun', media_content_ids: ['{picture}'], metrics, external_id: 'changed' });
    world.ids.changed = kept.id;
  });

  test('keeps absent fields', async () => {
    expect(await change({})).toEqual(kept);
    for (const [json, changed] of [
      [{ published_at: '2026-07-04T02:00:00' }, { published_at: '2026-07-04T00:00:00.000Z' }],
      [{ published_at: '2026-03-04T00:00:00Z' }, { published_at: '2026-03-04T00:00:00.000Z' }],
      [{ text: 'Sea' }, { text: 'Sea' }],
      [{ media_content_ids: ['{freed}', '{picture}'] }, world.fill({ media_content_ids: ['{freed}', '{picture}'] })],
      [{ metrics: { likes: 4 } }, { metrics: { ...kept.metrics, likes: 4 } }],
      [{ metrics: { likes: 4, saves: null } }, { metrics: { ...kept.metrics, likes: 4 } }],
      [{ external_id: 'renamed' }, { external_id: 'renamed' }],
    ] as const) {
      kept = { ...kept, ...changed };
      expect(await change(json)).toEqual(kept);
      expect(await showPost(world, kept.id)).toEqual(kept);
    }
  });

  table(
    () => world,
    [
      row('refuses to clear a required field', patch, { published_at: null }, 422, { published_at: true }),
      row('refuses an external id in use', patch, { external_id: 'in-use', text: 'x' }, 422, {
        external_id: 'The external id has already been taken.',
      }),
      row(
        'reports all failing fields',
        patch,
        { external_id: 'in-use', media_content_ids: ['{picture}', '{unknown}'], metrics: { likes: -1 } },
        422,
        { external_id: true, 'media_content_ids.1': true, 'metrics.likes': true },
      ),
    ].map((each): Row => ({ ...each, after: async () => expect(await showPost(world, kept.id)).toEqual(kept) })),
  );

  test('clears optional fields with null, so that the media can be deleted and the external id reused', async () => {
    const json = { text: null, media_content_ids: null, metrics: null, external_id: null };
    const emptied = { ...kept, text: null, media_content_ids: [], metrics: noMetrics, external_id: null };
    expect(await change(json)).toEqual(emptied);
    await makePost(world, { external_id: 'renamed' });
    expect((await world.call('DELETE /media_contents/{freed}')).status).toBe(204);
  });

  test('makes a planned post count in best times once it has metrics and is published', async () => {
    const profile = await makeProfile(world, 'Planned');
    const counted = async (): Promise<unknown> =>
      at(
        (await world.call(`GET /analytics/best_times?profile=${profile}&method=average&from=2026-01-01&to=2099-01-01`))
          .json,
        'meta',
        'posts',
      );
    const published_at = new Date(Date.now() + DAY).toISOString();
    world.ids.changed = (await makePost(world, { profile, published_at })).id;
    expect(await counted()).toBe(0);
    await change({ metrics: { likes: 1 } });
    expect(await counted()).toBe(0);
    await change({ published_at: '2026-02-01T00:00:00Z' });
    expect(await counted()).toBe(1);
  });
});
