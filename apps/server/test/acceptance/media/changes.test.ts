import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, keysOf } from '../support/reply.ts';
import { idsOf, oneMediaItem } from '../support/shapes.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;

const media = '/workspaces/{workspace}/media_contents';

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  const beach = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
  world.ids.beach = beach.id;
  world.ids.link = beach.link;
});

afterAll(() => world.close());

describe('changing the name, label and folder', () => {
  const update = 'PATCH /media_contents/{beach}';
  const changed = (fields: object) => (reply: Parameters<typeof oneMediaItem>[0]) => {
    expect(keysOf(reply.json)).toEqual(['data', 'message']);
    expect(at(reply.json, 'message')).toBeString();
    expect(oneMediaItem(reply)).toMatchObject(world.fill(fields));
  };
  const taken: readonly [name: string, json: object, shown: object][] = [
    ['accepts a label', { label: 'Sand' }, { label: 'Sand', name: 'beach.jpg', folder_id: null }],
    ['changes nothing without fields', {}, { label: 'Sand', name: 'beach.jpg', folder_id: null }],
    ['accepts a folder', { folder_id: '{folder}' }, { label: 'Sand', folder_id: '{folder}' }],
    ['moves an item to the root for a null folder', { folder_id: null }, { folder_id: null }],
    ['removes the label for null', { label: null }, { label: null }],
    [
      'ignores fields that only the server sets',
      { status: 'failed', size: 1, id: '{unknown}', link: 'http://evil.example' },
      { id: '{beach}', status: 'active', link: '{link}' },
    ],
    ['keeps the extension under a new name', { name: 'sunset.php' }, { name: 'sunset.php.jpg' }],
    [
      'cleans a name that is a path upwards with a bidi override',
      { name: '../../pass\u202ewd' },
      { name: '-..-passwd.jpg' },
    ],
  ];
  table(
    () => world,
    taken.map(([name, json, shown]): Row => ({ name, send: update, json, status: 200, after: changed(shown) })),
  );
  table(
    () => world,
    [
      row('reports all invalid fields', update, { name: '', label: 'l'.repeat(251), folder_id: 'nowhere' }, 422, {
        name: true,
        label: 'The label field must not be greater than 250 characters.',
        folder_id: true,
      }),
      row('refuses a name that is only its extension', update, { name: '.jpg', folder_id: '{unknown}' }, 422, {
        name: 'The name field is required.',
        folder_id: true,
      }),
      {
        ...row('changes nothing if one field is invalid', update, { label: 'Not kept', folder_id: '{unknown}' }, 422, {
          folder_id: true,
        }),
        after: async () => expect(oneMediaItem(await world.call('GET /media_contents/{beach}')).label).toBeNull(),
      },
    ],
  );

  test('keeps both the old and the new link of a renamed file working', async () => {
    const item = await world.storeOne(file('before.png', fixtures.png()));
    const reply = await world.call(`PATCH /media_contents/${item.id}`, { json: { name: 'after the rain' } });
    expect(reply.status).toBe(200);
    for (const link of [item.link, oneMediaItem(reply).link]) {
      const response = await fetch(link);
      expect(response.status).toBe(200);
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), Buffer.from(fixtures.png()))).toBe(0);
    }
  });
});

describe('deleting', () => {
  // library/fence.test.ts tests that the file of a deleted item is destroyed.
  test('hides an image from every request', async () => {
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
  });

  test.skipIf(!hasFfmpeg)('also deletes the cover of a video', async () => {
    const item = await world.storeVideo(file('gone.mp4', fixtures.mp4()));
    const cover = item.thumbnail;
    if (cover === null) throw new Error('The video has no cover.');
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
    expect((await world.call(`GET /media_contents/${cover.id}`)).status).toBe(404);
    for (const link of [item.link, cover.link]) expect((await fetch(link)).status).toBe(404);
  });

  test('wins over a concurrent change of the item', async () => {
    for (let round = 0; round < 5; round++) {
      const item = await world.storeOne(file('raced.png', fixtures.png()));
      const [changed, deleted] = await Promise.all([
        world.call(`PATCH /media_contents/${item.id}`, { json: { name: 'renamed', label: 'x' } }),
        world.call(`DELETE /media_contents/${item.id}`),
      ]);
      expect(`${changed.status} ${deleted.status}`).toMatch(/^(200|404) 204$/);
      expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
      expect((await fetch(item.link)).status).toBe(404);
    }
  });
});
