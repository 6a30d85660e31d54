import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { figures } from '../operate/support/figures.ts';
import { gif, jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(60_000);

let world: World;
beforeAll(async () => {
  world = await World.openAlone();
});
afterAll(() => world.close());

test('items of earlier programs are examined by a command at once, and by workers in the background', async () => {
  const items = await world.store(file('a.jpg', jpeg()), file('b.gif', gif()));
  const shown = async (id: string) => at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data');
  const before = await Promise.all(items.map(({ id }) => shown(id)));
  expect(before).toMatchObject([{ details: expect.any(Object) }, { details: expect.any(Object) }]);
  const left = async () => (await figures(world)).get('postshelf_media_unexamined');
  expect(await left()).toBe(0);
  const forget = () => world.database.change('update media set details = null, sha256 = null');
  expect(await forget()).toBe(2);
  expect(await left()).toBe(2);
  expect(await world.command(['media', 'inspect'])).toEqual({ examined: 2, unreadable: [] });
  expect(await left()).toBe(0);
  expect(await Promise.all(items.map(({ id }) => shown(id)))).toEqual(before);
  const sha256 = createHash('sha256').update(jpeg()).digest('hex');
  const found = mediaItems(await world.call(`GET /workspaces/{workspace}/media_contents?sha256=${sha256}`));
  expect(found.map(({ id }) => id)).toEqual(items.slice(0, 1).map(({ id }) => id));

  await forget();
  const another = await world.startAnother();
  try {
    await until('the worker in another process has examined all', async () => (await left()) === 0, 30_000);
  } finally {
    await another.end();
  }
});
