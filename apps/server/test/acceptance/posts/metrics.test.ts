import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { makePost, makeProfile, metricNames, onePost, type PostResource, showPost } from './support/posts.ts';

let world: World;
let known: PostResource;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
  known = await makePost(world, {
    external_id: 'kept',
    text: 'Kept',
    metrics: { impressions: 1, likes: 2, comments: 3, shares: 4, saves: 5, clicks: 6 },
  });
  world.ids.post = known.id;
});

afterAll(() => world.close());

const put = 'PUT /posts/{post}/metrics';

const refused: readonly Row[] = [
  row('a wrong type', put, { likes: '5' }, 422, { likes: true }),
  row('one valid value and two invalid ones', put, { likes: 1, shares: -1, saves: 'x' }, 422, {
    shares: true,
    saves: true,
  }),
  row('no metrics', put, {}, 422),
  row('only metrics that are null', put, { likes: null }, 422),
  row('only unknown metrics', put, { views: 1, metrics: { likes: 1 } }, 422),
];
table(
  () => world,
  refused.map((each): Row => {
    const after = async () => expect(await showPost(world, known.id)).toEqual(known);
    return { ...each, name: `PUT metrics refuses ${each.name}, and changes nothing`, after };
  }),
);

test('PUT metrics replaces the given metrics, and keeps the others', async () => {
  for (const name of metricNames) {
    const before = await showPost(world, known.id);
    const changed = onePost(await world.call(put, { json: { [name]: 100 } }), 200);
    expect(changed).toEqual({ ...before, metrics: { ...before.metrics, [name]: 100 } });
    expect(await showPost(world, known.id)).toEqual(changed);
  }
});
