import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { create, created, folders } from './support/folders.ts';

// The domain tests the rules for names and parents in detail (packages/domain/test/folders).
let world: World;

const change = (key: string) => `PATCH /media_library/folders/{${key}}`;

beforeAll(async () => {
  world = await World.open({}, ['--system-folder', 'Inbox', '--system-folder', 'Brand']);
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  world.ids.grandchild = await world.folder('Grandchild', '{child}');
  world.ids.other = await world.folder('Other');
  world.ids.cafe = await world.folder('Café', '{other}');
  world.ids.gone = await world.folder('Gone');
  await world.call('DELETE /media_library/folders/{gone}');
  const list = await world.call(`GET ${folders}?parent_id=root`);
  const inbox = arrayAt(list.json, 'data').find((entry) => at(entry, 'name') === 'Inbox');
  world.ids.inbox = stringAt(inbox, 'id');
});

afterAll(() => world.close());

describe('the name of a folder', () => {
  const hostile = `../<b>'; DROP TABLE folders; --`;
  const taken: readonly [string, string, string][] = [
    ['is trimmed, and stored composed (NFC)', '  \t Nai\u0308ve \n ', 'Na\u00efve'],
    ['can have 100 code points', '🏖'.repeat(100), '🏖'.repeat(100)],
    ['can contain markup, SQL and paths', hostile, hostile],
  ];
  const tooLong = 'The name field must not be greater than 100 characters.';
  table(
    () => world,
    [
      ...taken.map(([name, sent, kept]): Row => row(name, create, { name: sent }, 201, created(kept))),
      row('is required', create, { name: ' \t\u3000\u00a0\n ' }, 422, { name: 'The name field is required.' }),
      row('cannot have 101 code points', create, { name: '🏖'.repeat(101) }, 422, { name: tooLong }),
      row('must be a string', create, { name: 7 }, 422, { name: 'The name field must be a string.' }),
      ...['Café', ' CAFE\u0301 '].map((name): Row => {
        const json = { name, parent_id: '{other}' };
        return row(`must be unique among its siblings: ${JSON.stringify(name)}`, create, json, 422, { name: true });
      }),
      row('can be reused below another parent', create, { name: 'café', parent_id: '{top}' }, 201),
      row('cannot be changed to that of a sibling', change('top'), { name: 'OTHER' }, 422, { name: true }),
      row('can change its case', change('top'), { name: 'TOP' }, 200),
      row('prevents a move next to a folder of the same name', change('cafe'), { parent_id: '{top}' }, 422, {
        name: true,
      }),
      row(
        'can be changed in the same request as the move',
        change('cafe'),
        { name: 'Bistro', parent_id: '{top}' },
        200,
      ),
    ],
  );
});

describe('an impossible parent is rejected', () => {
  const parent_id = true;
  table(
    () => world,
    ['{unknown}', 'nowhere', '{gone}'].flatMap((parent): Row[] => [
      row(`on create: ${parent}`, create, { name: 'Orphan', parent_id: parent }, 422, { parent_id }),
      row(`on update: ${parent}`, change('child'), { parent_id: parent }, 422, { parent_id }),
    ]),
  );
  table(
    () => world,
    ['top', 'child', 'grandchild'].map((key) =>
      row(`on update to the folder itself or below it: ${key}`, change('top'), { parent_id: `{${key}}` }, 422, {
        parent_id,
      }),
    ),
  );
});

describe('the limit of 16 levels', () => {
  const parent_id = true;
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
      row('forbids a folder on the seventeenth level', create, { name: 'Level 17', parent_id: '{level16}' }, 422, {
        parent_id,
      }),
      row('forbids a folder with a child on the sixteenth level', change('pair'), { parent_id: '{level15}' }, 422, {
        parent_id,
      }),
      row('allows a folder with a child on the fifteenth level', change('pair'), { parent_id: '{level14}' }, 200),
    ],
  );
});

describe('a system folder', () => {
  const folder = true;
  table(
    () => world,
    [
      {
        name: 'is listed with is_system',
        send: `GET ${folders}?parent_id=root&per_page=100`,
        status: 200,
        after: (reply) => {
          const system = arrayAt(reply.json, 'data').filter((entry) => at(entry, 'is_system') === true);
          expect(system.map((entry) => at(entry, 'name')).sort()).toEqual(['Brand', 'Inbox']);
        },
      },
      row('cannot be renamed', change('inbox'), { name: 'Outbox' }, 422, { folder }),
      row('cannot be moved', change('inbox'), { parent_id: '{top}' }, 422, { folder }),
      { name: 'cannot be deleted', send: 'DELETE /media_library/folders/{inbox}', status: 422, invalid: { folder } },
      row('can contain a subfolder', create, { name: 'Below', parent_id: '{inbox}' }, 201, created('Below', '{inbox}')),
      row('reserves its name among its siblings', create, { name: 'INBOX' }, 422, { name: true }),
    ],
  );

  test('can contain media', async () => {
    const item = await world.storeOne(field('folder_id', String(world.ids.inbox)), file('logo.png', png()));
    expect(item.folder_id).toBe(String(world.ids.inbox));
  });
});
