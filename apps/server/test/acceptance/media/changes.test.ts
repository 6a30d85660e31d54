import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { at, keysOf } from '../support/reply.ts';
import { idsOf, oneMediaItem } from '../support/shapes.ts';
import { row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(60_000);

let world: World;

const media = '/workspaces/{workspace}/media_contents';

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  const beach = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
  world.ids.beach = beach.id;
  world.ids.link = beach.link;
  world.ids.chart = (await world.storeOne(file('chart.png', fixtures.png()))).id;
});

afterAll(() => world.close());

describe('Changing name, label and folder', () => {
  const update = 'PATCH /media_contents/{beach}';
  const changed = (fields: object) => (reply: Parameters<typeof oneMediaItem>[0]) => {
    expect(keysOf(reply.json)).toEqual(['data', 'message']);
    expect(at(reply.json, 'message')).toBeString();
    expect(oneMediaItem(reply)).toMatchObject(world.fill(fields));
  };
  table(
    () => world,
    [
      {
        name: 'a label',
        send: update,
        json: { label: 'Sand' },
        status: 200,
        after: changed({ label: 'Sand', name: 'beach.jpg', folder_id: null }),
      },
      {
        name: 'nothing changes nothing',
        send: update,
        json: {},
        status: 200,
        after: changed({ label: 'Sand', name: 'beach.jpg', folder_id: null }),
      },
      {
        name: 'a folder',
        send: update,
        json: { folder_id: '{folder}' },
        status: 200,
        after: changed({ label: 'Sand', folder_id: '{folder}' }),
      },
      {
        name: 'null takes it to the root',
        send: update,
        json: { folder_id: null },
        status: 200,
        after: changed({ folder_id: null }),
      },
      {
        name: 'null takes the label away',
        send: update,
        json: { label: null },
        status: 200,
        after: changed({ label: null }),
      },
      {
        name: "fields that are the server's are ignored",
        send: update,
        json: { status: 'failed', size: 1, id: '{unknown}', link: 'http://evil.example' },
        status: 200,
        after: changed({ id: '{beach}', status: 'active', link: '{link}' }),
      },
      {
        name: 'a name; its extension stays',
        send: update,
        json: { name: 'sunset' },
        status: 200,
        after: changed({ name: 'sunset.jpg' }),
      },
      {
        name: 'a name with another extension',
        send: update,
        json: { name: 'sunset.php' },
        status: 200,
        after: (reply) => expect(oneMediaItem(reply).name).toMatch(/^sunset(\.php)?\.jpg$/),
      },
      {
        name: 'a name that is a path upwards, with a bidi override',
        send: update,
        json: { name: '../../etc/pass\u202ewd\u0000' },
        status: [200, 422],
        after: async () => {
          const item = oneMediaItem(await world.call('GET /media_contents/{beach}'));
          expect(item.name + item.full_name.slice(item.full_name.lastIndexOf('/'))).not.toMatch(
            /\.\.\/|[\p{Cc}\u202e\\]/u,
          );
          expect(item.full_name.split('/')).toHaveLength(3);
        },
      },
      {
        name: 'a label too long',
        send: update,
        json: { label: 'l'.repeat(251) },
        status: 422,
        invalid: { label: 'The label field must not be greater than 250 characters.' },
      },
      row('an unknown folder', update, { folder_id: '{unknown}' }, 422, { folder_id: true }),
      { name: 'an empty name', send: update, json: { name: '' }, status: 422, invalid: { name: true } },
      {
        name: 'all wrong, all told',
        send: update,
        json: { name: [], label: {}, folder_id: 'nowhere' },
        status: 422,
        invalid: { name: true, label: true, folder_id: true },
      },
      {
        name: 'one wrong field keeps the others from being changed',
        send: update,
        json: { label: 'Not kept', folder_id: '{unknown}' },
        status: 422,
        invalid: { folder_id: true },
        after: async () =>
          expect(oneMediaItem(await world.call('GET /media_contents/{beach}')).label).not.toBe('Not kept'),
      },
    ],
  );

  test('after a renaming the first link still shows the file, and so does the one that is given now', async () => {
    const item = await world.storeOne(file('before.png', fixtures.png()));
    const reply = await world.call(`PATCH /media_contents/${item.id}`, { json: { name: 'after the rain' } });
    expect(reply.status).toBe(200);
    for (const link of [item.link, oneMediaItem(reply).link]) {
      const response = await fetch(link);
      expect(response.status).toBe(200);
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), Buffer.from(fixtures.png()))).toBe(0);
    }
  });

  test('twenty changes at once: all are taken, and the item ends whole', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.call('PATCH /media_contents/{chart}', { json: { label: `Label ${index}` } }),
      ),
    );
    for (const reply of replies) expect(reply.status).toBe(200);
    expect(oneMediaItem(await world.call('GET /media_contents/{chart}')).label).toMatch(/^Label \d+$/);
  });
});

describe('Deleting', () => {
  test('an image is gone everywhere, the file too', async () => {
    const item = await world.storeOne(file('gone.png', fixtures.png()));
    expect(await world.holds(item.full_name)).toBe(true);
    const reply = await world.call(`DELETE /media_contents/${item.id}`);
    expect(reply.status).toBe(204);
    expect(reply.bytes.length).toBe(0);
    for (const method of ['GET', 'DELETE']) {
      const again = await world.call(`${method} /media_contents/${item.id}`);
      expect(again.status).toBe(404);
      expect(again.json).toEqual({ message: 'Not found.' });
    }
    expect((await world.call(`PATCH /media_contents/${item.id}`, { json: { label: 'x' } })).status).toBe(404);
    expect((await fetch(item.link)).status).toBe(404);
    expect(idsOf(await world.call(`GET ${media}?per_page=100`))).not.toContain(item.id);
    expect((await world.files()).filter((path) => path.includes(item.id))).toEqual([]);
  });

  test('a cover goes with its video', async () => {
    const item = await world.storeOne(file('gone.mp4', fixtures.mp4()));
    const cover = item.thumbnail;
    if (cover === null) throw new Error('The video has no cover.');
    const before = await world.files();
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
    expect((await world.call(`GET /media_contents/${cover.id}`)).status).toBe(404);
    for (const link of [item.link, cover.link]) expect((await fetch(link)).status).toBe(404);
    const after = await world.files();
    const gone = before.filter((path) => !after.includes(path));
    expect(gone).toHaveLength(2);
  });

  test('its folder is empty afterwards and can go', async () => {
    const folder = await world.folder('Short-lived');
    const item = await world.storeOne(field('folder_id', folder), file('a.png', fixtures.png()));
    expect((await world.call(`DELETE /media_library/folders/${folder}`)).status).toBe(422);
    await world.call(`DELETE /media_contents/${item.id}`);
    expect((await world.call(`DELETE /media_library/folders/${folder}`)).status).toBe(204);
  });

  test('eight deletes of one item: one is the first', async () => {
    const item = await world.storeOne(file('once.mp4', fixtures.mp4()));
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.call(`DELETE /media_contents/${item.id}`)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
  });

  test('deleted while it is changed: one of both orders, nothing comes back to life', async () => {
    for (let round = 0; round < 10; round++) {
      const item = await world.storeOne(file('raced.png', fixtures.png()));
      const [changed, deleted] = await Promise.all([
        world.call(`PATCH /media_contents/${item.id}`, { json: { name: 'renamed', label: 'x' } }),
        world.call(`DELETE /media_contents/${item.id}`),
      ]);
      expect(`${changed.status} ${deleted.status}`).toMatch(/^(200|404) 204$/);
      expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
      expect((await world.files()).filter((path) => path.includes(item.id))).toEqual([]);
    }
  });
});
