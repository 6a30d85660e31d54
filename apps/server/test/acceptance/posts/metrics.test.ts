import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { makePost, makeProfile, metricNames, onePost, type PostResource, showPost } from './support/posts.ts';

setDefaultTimeout(60_000);

let world: World;
let before: PostResource;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
  before = await makePost(world, {
    external_id: 'kept',
    text: 'Kept',
    metrics: { impressions: 1, likes: 2, comments: 3, shares: 4, saves: 5, clicks: 6 },
  });
  world.ids.post = before.id;
});

afterAll(() => world.close());

const put = 'PUT /posts/{post}/metrics';

describe('New metrics replace the old ones; absent ones stay', () => {
  test('one alone', async () => {
    for (const name of metricNames) {
      const known = await showPost(world, before.id);
      const changed = onePost(await world.call(put, { json: { [name]: 100 } }), 200);
      expect(changed).toEqual({ ...known, metrics: { ...known.metrics, [name]: 100 } });
      expect(await showPost(world, before.id)).toEqual(changed);
    }
  });
});

describe('What is refused leaves the metrics as they were', () => {
  let known: PostResource;
  beforeAll(async () => {
    known = await showPost(world, before.id);
  });
  const stays = async () => expect(await showPost(world, before.id)).toEqual(known);
  const refused: readonly [string, unknown, Row['invalid']][] = [
    ['below 0', { likes: -1 }, { likes: true }],
    ['a string', { likes: '5' }, { likes: true }],
    ['one is right, two are wrong', { likes: 1, shares: -1, saves: 'x' }, { shares: true, saves: true }],
  ];
  table(
    () => world,
    [
      ...refused.map(([name, json, invalid]): Row => {
        return { name, send: put, json, status: 422, ...(invalid && { invalid }), after: stays };
      }),
      { name: 'none: "at least one"', send: put, json: {}, status: 422, after: stays },
      { name: 'only unknown ones', send: put, json: { views: 1 }, status: 422, after: stays },
      { name: 'below metrics, as in a post', send: put, json: { metrics: { likes: 1 } }, status: 422, after: stays },
    ],
  );
});
