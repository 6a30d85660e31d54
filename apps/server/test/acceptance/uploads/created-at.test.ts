// These tests upload files with `created_at`, so that their items keep the date on which the files were created.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { arrayAt, at, expectInvalid } from '../support/reply.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const parts = (created_at: string) => [file('beach.png', png()), field('created_at', created_at)];

async function detailsOf(id: string): Promise<{ readonly created_at: string; readonly updated_at: string }> {
  const { json } = await world.call(`GET /media_contents/${id}?include=details`);
  return at(json, 'data', 'details') as { created_at: string; updated_at: string };
}

test('created_at sets the date of an item, by which lists sort and filter', async () => {
  const before = Date.now();
  const { id } = await world.storeOne(...parts('2019-07-31T20:30:00.250+02:00'));
  const { id: now } = await world.storeOne(...parts(''));
  const { created_at, updated_at } = await detailsOf(id);
  expect(created_at).toBe('2019-07-31T18:30:00.250Z');
  expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(before);
  const list = async (query: string): Promise<unknown[]> =>
    arrayAt((await world.call(`GET /workspaces/{workspace}/media_contents?${query}`)).json, 'data').map((item) =>
      at(item, 'id'),
    );
  expect(await list('sort=created_at')).toEqual([id, now]);
  expect(await list('from=2019-07-31T18:30:00Z&to=2019-08-01')).toEqual([id]);
});

test('created_at becomes the current time if it is in the future', async () => {
  const { id } = await world.storeOne(...parts('2999-01-01T00:00:00Z'));
  const { created_at, updated_at } = await detailsOf(id);
  expect(created_at).toBe(updated_at);
});

test.each(['2019-07-31', '2019-07-31T18:30:00'])('created_at is refused without a UTC offset: %s', async (text) => {
  expectInvalid(await world.upload(parts(text)), {
    created_at: 'The created at field must be a date and time with an offset, such as 2019-07-31T18:30:00Z.',
  });
});
