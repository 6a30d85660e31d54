import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { createPost, makePost, makeProfile, noMetrics, onePost, postCount, posts, showPost } from './support/posts.ts';

setDefaultTimeout(60_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
  world.ids.second = await makeProfile(world, 'Second');
  world.ids.foreignProfile = await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
  world.ids.picture = (await world.storeOne(file('one.png', png()))).id;
  world.ids.other = (await world.storeOne(file('two.png', png()))).id;
});

afterAll(() => world.close());

const greatest = 100_000_000_000;

const DAY = 24 * 60 * 60 * 1000;

describe('Creating a post: 201 {data, message}', () => {
  test('all fields come back, and GET /posts/{id} shows the same', async () => {
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

  test('what is left out is null, empty or 0', async () => {
    const made = await makePost(world);
    expect(made).toMatchObject({ external_id: null, text: null, media_content_ids: [], metrics: noMetrics });
    expect(made.published_at).toBe('2026-01-02T03:04:05.000Z');
    expect(await showPost(world, made.id)).toEqual(made);
  });

  test('some metrics: the others are 0; unknown ones are ignored', async () => {
    const made = await makePost(world, { metrics: { likes: 3, views: 9, constructor: 1 } });
    expect(made.metrics).toEqual({ ...noMetrics, likes: 3 });
  });

  test('__proto__ brings nothing in', async () => {
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

  const inTwoYears = new Date(Date.now() + 730 * DAY).toISOString();
  const instants: readonly [string, string][] = [
    ['2026-01-02T03:04:05.678999Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05-09:30', '2026-01-02T12:34:05.000Z'],
    ['1999-12-31T23:00:00-01:00', '2000-01-01T00:00:00.000Z'],
    [inTwoYears, inTwoYears],
  ];
  for (const [given, shown] of instants) {
    test(`published_at ${given} is ${shown}`, async () => {
      const made = await makePost(world, { published_at: given });
      expect(made.published_at).toBe(shown);
      expect(await showPost(world, made.id)).toEqual(made);
    });
  }

  const texts: readonly [string, string][] = [
    ['65,535 code points', '🌊'.repeat(65_535)],
    ["quotes that SQL might trip over: '; --", `'; DROP TABLE posts; --"`],
    ['braces, backslashes, a BOM and a right-to-left override', '{} \\ \ufeff \u202e'],
  ];
  for (const [name, text] of texts) {
    test(`text: ${name}`, async () => {
      const made = await makePost(world, { text });
      expect((await showPost(world, made.id)).text).toBe(text);
    });
  }

  for (const [name, text] of [
    ['NUL', 'before\0after'],
    ['half of a surrogate pair', 'before\ud800after'],
  ] as const) {
    test(`text with ${name} is kept or refused, never cut`, async () => {
      const reply = await createPost(world, { text });
      expect([201, 422]).toContain(reply.status);
      if (reply.status === 422) return;
      const made = onePost(reply, 201);
      expect(made.text).toEndWith('after');
      expect((await showPost(world, made.id)).text).toBe(made.text);
    });
  }
});

describe('What is refused, all failing fields at once, and nothing of it is kept', () => {
  const refused: readonly [string, object, Row['invalid']][] = [
    [
      'nothing that is needed',
      { profile: undefined, published_at: undefined },
      { profile: 'The profile field is required.', published_at: 'The published at field is required.' },
    ],
    ...['{unknown}', '{foreignProfile}', '{workspace}', 7].map((profile): [string, object, Row['invalid']] => [
      `profile ${JSON.stringify(profile)}`,
      { profile },
      { profile: true },
    ]),
    ...[
      '2026-01-02',
      '2026-01-02 03:04:05',
      '2026-01-02T03:04:05',
      '2026-02-30T00:00:00Z',
      '1999-12-31T23:59:59.999Z',
      new Date(Date.now() + 734 * DAY).toISOString(),
      '9999-12-31T23:59:59.999Z',
      '10000-01-01T00:00:00Z',
      '٢٠٢٦-01-02T03:04:05Z',
      1_767_323_045,
    ].map((published_at): [string, object, Row['invalid']] => [
      `published_at ${JSON.stringify(published_at)}`,
      { published_at },
      { published_at: true },
    ]),
    ['a text of 65,536 code points', { text: '🌊'.repeat(65_536) }, { text: true }],
    ['an external_id of 256 characters', { external_id: 'x'.repeat(256) }, { external_id: true }],
    ['an empty external_id', { external_id: '' }, { external_id: true }],
    ['media that are no list', { media_content_ids: '{picture}' }, { media_content_ids: true }],
    [
      'media that are no ids',
      { media_content_ids: ['{picture}', 'x', 5] },
      { 'media_content_ids.1': true, 'media_content_ids.2': true },
    ],
    [
      'the same medium again, at each repeated index',
      { media_content_ids: ['{picture}', '{other}', '{picture}', '{picture}'] },
      { 'media_content_ids.2': true, 'media_content_ids.3': true },
    ],
    ['metrics that are a number', { metrics: 5 }, { metrics: true }],
    ['metrics below 0', { metrics: { likes: -1, clicks: -1 } }, { 'metrics.likes': true, 'metrics.clicks': true }],
    ...[1.5, greatest + 1, '5', []].map((likes): [string, object, Row['invalid']] => [
      `likes ${JSON.stringify(likes)}`,
      { metrics: { likes } },
      { 'metrics.likes': true },
    ]),
    [
      'all of it together',
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
      const row = { name, send: `POST ${posts}`, json: { ...json, ...fields }, status: 422 };
      return { ...row, ...(invalid && { invalid }) };
    }),
  );
});

test('a number that JSON can say and no computer holds', async () => {
  const body = `{"profile": "${world.ids.profile}", "published_at": "2026-01-02T03:04:05Z", "metrics": {"likes": 1e400}}`;
  const headers = { 'content-type': 'application/json' };
  expect((await world.call(`POST ${posts}`, { headers, body })).status).toBe(422);
});

test('50 media are taken, 51 are not', async () => {
  const ids: string[] = [];
  for (let batch = 0; batch < 6; batch++) {
    const files = Array.from({ length: 10 }, (_, nth) => file(`p-${batch}-${nth}.png`, png()));
    ids.push(...(await world.store(...files)).map((item) => item.id));
  }
  expect((await makePost(world, { media_content_ids: ids.slice(0, 50) })).media_content_ids).toEqual(ids.slice(0, 50));
  const over = await createPost(world, { media_content_ids: ids.slice(0, 51) });
  expect(Object.keys(Object(Object(over.json).errors))).toEqual(['media_content_ids']);
});

describe('An external_id names one post of a profile: 422 on external_id', () => {
  test('taken in this profile, free in another, and case and blanks tell two apart', async () => {
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

  test('free again when its post is deleted', async () => {
    const { id } = await makePost(world, { external_id: 'once' });
    expect((await world.call(`DELETE /posts/${id}`)).status).toBe(204);
    await makePost(world, { external_id: 'once' });
  });

  test('of twenty at once one wins', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => createPost(world, { external_id: 'raced' })));
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 422)]);
    for (const reply of replies.filter((one) => one.status === 422)) {
      expect(Object.keys(Object(Object(reply.json).errors))).toEqual(['external_id']);
    }
  });
});

test('a deleted post is 404 afterwards, and the list has it no more', async () => {
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
