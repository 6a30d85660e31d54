import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, keysOf } from '../support/reply.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { listPosts, makePost, makeProfile, type PostResource, post, posts } from './support/posts.ts';

/** This zone is at least 12 hours ahead of UTC all year, so a local day never coincides with a UTC day. */
const zone = 'Pacific/Auckland';

let world: World;
const made: PostResource[] = [];

beforeAll(async () => {
  world = await World.open({}, ['--timezone', zone]);
  world.ids.profile = await makeProfile(world);
  world.ids.second = await makeProfile(world, 'Second');
  world.ids.foreignProfile = await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
  // The posts aren't created in the order of their times, so that the order of the list can't be right by accident.
  for (let nth = 0; nth < 40; nth++) {
    const hour = (nth * 27) % 40;
    const published_at = new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
    made.push(await makePost(world, { published_at, profile: nth % 3 === 0 ? '{second}' : '{profile}' }));
  }
  world.ids.photo = (await world.storeOne(file('photo.png', png()))).id;
  for (const hour of [8, 3]) {
    const published_at = new Date(Date.UTC(2026, 0, 5, hour)).toISOString();
    made.push(await makePost(world, { published_at, profile: '{second}', media_content_ids: ['{photo}'] }));
  }
  await world.call('POST /workspaces/{foreign}/posts', {
    token: 'foreign',
    json: { profile: '{foreignProfile}', published_at: '2026-01-01T05:00:00Z' },
  });
});

afterAll(() => world.close());

/** The ids of posts in the order of the list, most recently published first. */
const inOrder = (some: readonly PostResource[]) =>
  some.toSorted((a, b) => b.published_at.localeCompare(a.published_at)).map((one) => one.id);

describe('the list of posts', () => {
  test('starts with a page of complete posts, most recently published first', async () => {
    const reply = await world.call(`GET ${posts}`);
    expect(reply.status).toBe(200);
    expect(keysOf(reply.json)).toEqual(['data', 'links', 'meta']);
    expect(arrayAt(reply.json, 'data').map(post)).toEqual(
      inOrder(made)
        .slice(0, 25)
        .map((id) => made.find((one) => one.id === id) ?? post(undefined)),
    );
    expect(at(reply.json, 'meta')).toEqual(
      world.fill({ current_page: 1, from: 1, to: 25, per_page: 25, last_page: 2, total: 42, path: `{base}${posts}` }),
    );
  });
});

describe('the filtered list of posts', () => {
  const between = (from: string, to: string) =>
    made.filter((one) => one.published_at >= from && one.published_at <= to);
  const second = () => made.filter((one) => one.profile === world.ids.second);
  // Auckland is 13 hours ahead in January: 2 January begins there at 11:00 UTC on 1 January.
  const rows: readonly [string, () => readonly PostResource[]][] = [
    ['profile={second}', second],
    [
      'from=2026-01-01T05:00:00Z&to=2026-01-01T05:00:00Z',
      () => between('2026-01-01T05:00:00.000Z', '2026-01-01T05:00:00.000Z'),
    ],
    ['from=2026-01-02&to=2026-01-02', () => between('2026-01-01T11:00:00.000Z', '2026-01-02T10:59:59.999Z')],
    ['media_content_id={photo}', () => made.slice(40)],
    ['media_content_id={photo}&profile={profile}', () => []],
    ['from=&to=&profile=&media_content_id=&page=&per_page=', () => made],
  ];
  for (const [query, wanted] of rows) {
    test(`has the right posts for ${query}`, async () => {
      expect((await listPosts(world, query.replace('&page=&per_page=', ''))).map((one) => one.id)).toEqual(
        inOrder(wanted()),
      );
      const first = await world.call(`GET ${posts}?${query}`);
      expect(at(first.json, 'meta', 'total')).toBe(wanted().length);
    });
  }
});

describe('an invalid filter of the list', () => {
  const after = 'The to field must be a date after or equal to from.';
  const refused: readonly [string, Row['invalid']][] = [
    ['from=x&to=y&page=0&per_page=z', { from: true, to: true, page: true, per_page: true }],
    ['from=2026-01-03&to=2026-01-02&profile={unknown}', { to: after, profile: true }],
    ['profile={foreignProfile}&media_content_id=x', { profile: true, media_content_id: true }],
    [
      'profile={unknown}&media_content_id={unknown}',
      { profile: true, media_content_id: 'The selected media content id is invalid.' },
    ],
  ];
  table(
    () => world,
    refused.map(([query, invalid]): Row => {
      return {
        name: `is refused with all failing fields for ${query}`,
        send: `GET ${posts}?${query}`,
        status: 422,
        ...(invalid && { invalid }),
      };
    }),
  );
});
