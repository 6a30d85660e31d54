import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { create, created, folders } from './support/folders.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open({}, ['--system-folder', 'Inbox', '--system-folder', 'Brand']);
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  world.ids.grandchild = await world.folder('Grandchild', '{child}');
  const list = await world.call(`GET ${folders}?parent_id=root`);
  const inbox = arrayAt(list.json, 'data').find((entry) => at(entry, 'name') === 'Inbox');
  world.ids.inbox = stringAt(inbox, 'id');
});

afterAll(() => world.close());

describe('A parent that cannot be: 422 on parent_id', () => {
  const nowhere: readonly [string, unknown][] = [
    ['unknown', '{unknown}'],
    ['malformed', 'nowhere'],
    ['an array', ['{top}']],
  ];
  table(
    () => world,
    [
      ...nowhere.map(
        ([name, parent]): Row => ({
          name: `on create: ${name}`,
          send: create,
          json: { name: 'Orphan', parent_id: parent },
          status: 422,
          invalid: { parent_id: true },
        }),
      ),
      ...nowhere.map(
        ([name, parent]): Row => ({
          name: `on update: ${name}`,
          send: 'PATCH /media_library/folders/{child}',
          json: { parent_id: parent },
          status: 422,
          invalid: { parent_id: true },
        }),
      ),
      {
        name: '"A parent that is the folder itself"',
        send: 'PATCH /media_library/folders/{top}',
        json: { parent_id: '{top}' },
        status: 422,
        invalid: { parent_id: true },
      },
      {
        name: '"or below it": its child',
        send: 'PATCH /media_library/folders/{top}',
        json: { parent_id: '{child}' },
        status: 422,
        invalid: { parent_id: true },
      },
      {
        name: '"or below it": its grandchild',
        send: 'PATCH /media_library/folders/{top}',
        json: { parent_id: '{grandchild}' },
        status: 422,
        invalid: { parent_id: true },
      },
      {
        name: 'a deleted parent',
        send: create,
        json: { name: 'Orphan', parent_id: '{deleted}' },
        before: async () => {
          world.ids.deleted = await world.folder('Deleted');
          await world.call('DELETE /media_library/folders/{deleted}');
        },
        status: 422,
        invalid: { parent_id: true },
      },
    ],
  );
});

describe('At most 16 levels', () => {
  beforeAll(async () => {
    let parent: string | null = null;
    for (let level = 1; level <= 16; level++) {
      parent = await world.folder(`Level ${level}`, parent);
      world.ids[`level${level}`] = parent;
    }
    world.ids.pair = await world.folder('Pair');
    world.ids.pairChild = await world.folder('Pair child', '{pair}');
  });
  table(
    () => world,
    [
      row('a seventeenth is refused', create, { name: 'Level 17', parent_id: '{level16}' }, 422, { parent_id: true }),
      {
        name: 'a folder with a child below the fifteenth is refused',
        send: 'PATCH /media_library/folders/{pair}',
        json: { parent_id: '{level15}' },
        status: 422,
        invalid: { parent_id: true },
      },
      {
        name: 'a folder with a child below the fourteenth fits',
        send: 'PATCH /media_library/folders/{pair}',
        json: { parent_id: '{level14}' },
        status: 200,
      },
      {
        name: 'and its child is at the bottom',
        send: create,
        json: { name: 'Too deep', parent_id: '{pairChild}' },
        status: 422,
        invalid: { parent_id: true },
      },
    ],
  );
});

describe('A system folder takes media and folders, and cannot be renamed, moved or deleted', () => {
  const folder = true;
  table(
    () => world,
    [
      {
        name: 'listed as such',
        send: `GET ${folders}?parent_id=root&per_page=100`,
        status: 200,
        after: (reply) => {
          const system = arrayAt(reply.json, 'data').filter((entry) => at(entry, 'is_system') === true);
          expect(system.map((entry) => at(entry, 'name')).sort()).toEqual(['Brand', 'Inbox']);
        },
      },
      row('renamed', 'PATCH /media_library/folders/{inbox}', { name: 'Outbox' }, 422, { folder }),
      row('moved', 'PATCH /media_library/folders/{inbox}', { parent_id: '{top}' }, 422, { folder }),
      { name: 'deleted', send: 'DELETE /media_library/folders/{inbox}', status: 422, invalid: { folder } },
      {
        name: 'shown as any other',
        send: 'GET /media_library/folders/{inbox}',
        status: 200,
        expect: { data: { id: '{inbox}', name: 'Inbox', parent_id: null } },
      },
      row('takes a subfolder', create, { name: 'Below', parent_id: '{inbox}' }, 201, created('Below', '{inbox}')),
      row('has a name like the others: no twin of it', create, { name: 'INBOX' }, 422, { name: true }),
    ],
  );

  test('takes media', async () => {
    const item = await world.storeOne(field('folder_id', String(world.ids.inbox)), file('logo.png', png()));
    expect(item.folder_id).toBe(String(world.ids.inbox));
  });
});
