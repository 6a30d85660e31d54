import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { createPost, listPosts, makeProfile } from './support/posts.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world);
});

afterAll(() => world.close());

/** Uploads twenty images. @returns their ids */
async function pictures(): Promise<string[]> {
  const ids: string[] = [];
  for (let batch = 0; batch < 2; batch++) {
    const files = Array.from({ length: 10 }, (_, nth) => file(`p${batch}-${nth}.png`, png()));
    ids.push(...(await world.store(...files)).map((item) => item.id));
  }
  return ids;
}

const remove = async (id: string) => (await world.call(`DELETE /media_contents/${id}`)).status;

/** Checks that all media of all posts exist. */
async function expectNoDanglingIds(): Promise<void> {
  const ids = new Set((await listPosts(world)).flatMap((post) => post.media_content_ids));
  for (const id of ids) expect(`${id} ${(await world.call(`GET /media_contents/${id}`)).status}`).toBe(`${id} 200`);
}

describe('attaching media while they are deleted', () => {
  test('keeps all acknowledged changes across kill -9', async () => {
    const ids = await pictures();
    const attempts = ids.flatMap((id) => [
      createPost(world, { media_content_ids: [id] })
        .then((reply) => (reply.status === 201 ? stringAt(reply.json, 'data', 'id') : undefined))
        .catch(() => undefined),
      remove(id).catch(() => undefined),
    ]);
    await Promise.race(attempts);
    await world.server.end('SIGKILL');
    const settled = await Promise.all(attempts);
    await world.restart();
    for (const [nth, id] of ids.entries()) {
      const [post, removed] = [settled[nth * 2], settled[nth * 2 + 1]];
      if (typeof post === 'string') expect((await world.call(`GET /posts/${post}`)).status).toBe(200);
      if (removed === 204) expect((await world.call(`GET /media_contents/${id}`)).status).toBe(404);
    }
    await expectNoDanglingIds();
  });
});
