// These tests use `client.events` and `waitUntilReady` of the published client with a real service.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createPostshelfClient, type PostshelfEvent } from '@postshelf/client';
import { gif } from '../support/fixtures.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const clientOf = () => createPostshelfClient({ baseUrl: String(world.ids.url), token: world.tokens.all ?? '' });

test('client.events() neither misses nor repeats events if the server is killed, even before the first event', async () => {
  const client = clientOf();
  const workspace = String(world.ids.workspace);
  const before = await client.upload(workspace, new File([Uint8Array.from(gif())], 'before.gif'));
  const seen: PostshelfEvent[] = [];
  const controller = new AbortController();
  const listening = (async () => {
    for await (const event of client.events(workspace, { types: ['media.active'], signal: controller.signal }))
      seen.push(event);
  })().catch((error: unknown) => error);
  await Bun.sleep(500);
  const made: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    await world.server.end('SIGKILL');
    await world.restart();
    const items = await client.upload(workspace, new File([Uint8Array.from(gif())], `${round}.gif`));
    made.push(...items.map(({ id }) => id));
  }
  await until('all events have arrived', () => seen.length >= made.length);
  controller.abort();
  expect(await listening).toMatchObject({ code: 'aborted' });
  expect(seen.map((event) => event.type !== 'reset' && event.data.id)).toEqual(made);
  expect(made).not.toContain(before[0]?.id);
});
