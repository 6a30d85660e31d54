import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { png } from './support/fixtures.ts';
import { field, file } from './support/multipart.ts';
import { arrayAt, at, type Reply, stringAt } from './support/reply.ts';
import { idsOf, uuid } from './support/shapes.ts';
import { type Row, table } from './support/table.ts';
import { World } from './support/world.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open({}, ['--system-folder', 'Inbox', '--system-folder', 'Brand']);
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  world.ids.grandchild = await world.folder('Grandchild', '{child}');
  world.ids.other = await world.folder('Other');
  const list = await world.call(`GET ${folders}?parent_id=root`);
  const inbox = arrayAt(list.json, 'data').find((entry) => at(entry, 'name') === 'Inbox');
  world.ids.inbox = stringAt(inbox, 'id');
});

afterAll(() => world.close());

const folders = '/workspaces/{workspace}/media_library/folders';
const create = `POST ${folders}`;

function created(name: string, parent: string | null = null) {
  return { data: { id: expect.stringMatching(uuid), name, parent_id: parent }, message: expect.any(String) };
}

async function remember(key: string, reply: Reply): Promise<void> {
  world.ids[key] = stringAt(reply.json, 'data', 'id');
}

describe('"Create 201 … with exactly the fields that interface.md lists": {data: {id, name, parent_id}, message}', () => {
  table(
    () => world,
    [
      {
        name: 'parent_id absent = top level',
        send: create,
        json: { name: 'Summer' },
        status: 201,
        expect: created('Summer'),
      },
      {
        name: 'parent_id null = top level',
        send: create,
        json: { name: 'Winter', parent_id: null },
        status: 201,
        expect: created('Winter'),
      },
      {
        name: 'below a parent',
        send: create,
        json: { name: 'Deep', parent_id: '{top}' },
        status: 201,
        expect: created('Deep', '{top}'),
      },
      {
        name: 'the answer names the folder that show then shows',
        send: create,
        json: { name: 'Shown' },
        status: 201,
        after: async (reply) => {
          await remember('shown', reply);
          const shown = await world.call('GET /media_library/folders/{shown}');
          expect(shown.status).toBe(200);
          expect(shown.json).toEqual(world.fill({ data: { id: '{shown}', name: 'Shown', parent_id: null } }));
        },
      },
    ],
  );
});

describe('"name required on create, 1–100 characters after trimming"; "Lengths are counted in Unicode code points"', () => {
  const required = 'The name field is required.';
  const tooLong = 'The name field must not be greater than 100 characters.';
  const taken: readonly [string, string, string][] = [
    ['one character', 'x', 'x'],
    ['spaces around are trimmed', '  \t Trimmed \n ', 'Trimmed'],
    ['a hundred letters', 'n'.repeat(100), 'n'.repeat(100)],
    ['a hundred emoji, each two UTF-16 units', '🏖'.repeat(100), '🏖'.repeat(100)],
    ['a hundred letters in spaces', ` ${'m'.repeat(100)} `, 'm'.repeat(100)],
    ['inner spaces stay', 'New  York', 'New  York'],
    ['markup is a name like another', '<b>"R&D"</b>', '<b>"R&D"</b>'],
    ['a slash and dots are a name like another', '../etc', '../etc'],
    ['SQL is a name like another', "'; DROP TABLE folders; --", "'; DROP TABLE folders; --"],
  ];
  const refused: readonly [string, object, string | true][] = [
    ['absent', {}, required],
    ['null', { name: null }, required],
    ['empty', { name: '' }, required],
    ['nothing but spaces', { name: ' \t\n ' }, required],
    ['a hundred and one letters', { name: 'n'.repeat(101) }, tooLong],
    ['a hundred and one emoji', { name: '🏖'.repeat(101) }, tooLong],
    ['a number', { name: 7 }, 'The name field must be a string.'],
    ['an array', { name: ['x'] }, 'The name field must be a string.'],
    ['an object', { name: { toString: 'x' } }, 'The name field must be a string.'],
    ['true', { name: true }, 'The name field must be a string.'],
  ];
  table(
    () => world,
    [
      ...taken.map(
        ([name, sent, kept]): Row => ({ name, send: create, json: { name: sent }, status: 201, expect: created(kept) }),
      ),
      ...refused.map(
        ([name, json, sentence]): Row => ({ name, send: create, json, status: 422, invalid: { name: sentence } }),
      ),
    ],
  );
});

describe('"unique among its siblings (NFC, case-insensitive)"', () => {
  beforeAll(async () => {
    for (const name of ['Café', 'ÄRGER', 'Straße', 'ΣΊΣΥΦΟΣ', 'Ⅷ']) await world.folder(name, '{other}');
  });

  const twins: readonly [string, string][] = [
    ['the same', 'Café'],
    ['in lower case', 'café'],
    ['in upper case', 'CAFÉ'],
    ['decomposed (NFD)', 'Cafe\u0301'],
    ['decomposed and in upper case', 'CAFE\u0301'],
    ['in spaces', '  Café '],
    ['an umlaut in lower case', 'ärger'],
    ['an umlaut, decomposed, in lower case', 'a\u0308rger'],
    ['Greek in lower case', 'σίσυφος'],
    ['a Roman numeral in lower case', 'ⅷ'],
  ];
  table(
    () => world,
    [
      ...twins.map(
        ([name, twin]): Row => ({
          name: `${name}: 422 on name`,
          send: create,
          json: { name: twin, parent_id: '{other}' },
          status: 422,
          invalid: { name: true },
        }),
      ),
      {
        name: 'below another parent it is no twin',
        send: create,
        json: { name: 'café', parent_id: '{top}' },
        status: 201,
        expect: created('café', '{top}'),
      },
      {
        name: 'without its accent it is no twin',
        send: create,
        json: { name: 'Cafe', parent_id: '{other}' },
        status: 201,
      },
      {
        name: 'kept composed (NFC)',
        send: create,
        json: { name: 'Nai\u0308ve' },
        status: 201,
        expect: created('Na\u00efve'),
      },
      {
        name: 'a renaming into a twin: 422 on name',
        send: 'PATCH /media_library/folders/{top}',
        json: { name: 'OTHER' },
        status: 422,
        invalid: { name: true },
      },
      {
        name: 'its own name in another case is no twin',
        send: 'PATCH /media_library/folders/{top}',
        json: { name: 'TOP' },
        status: 200,
      },
      { name: 'back again', send: 'PATCH /media_library/folders/{top}', json: { name: 'Top' }, status: 200 },
      {
        name: 'a move to where a twin is: 422',
        send: 'PATCH /media_library/folders/{mover}',
        json: { parent_id: '{other}' },
        before: async () => {
          world.ids.mover = await world.folder('CAFÉ', '{child}');
        },
        status: 422,
        invalid: { name: true },
      },
      {
        name: 'a move that renames on the way is fine',
        send: 'PATCH /media_library/folders/{mover}',
        json: { name: 'Bistro', parent_id: '{other}' },
        status: 200,
      },
    ],
  );
});

describe('"parent_id": 422 on parent_id', () => {
  const nowhere: readonly [string, unknown][] = [
    ['unknown', '{unknown}'],
    ['malformed', 'nowhere'],
    ['a number', 5],
    ['an array', ['{top}']],
    ['an object', {}],
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

describe('"update 200": {data: {id, name, parent_id, is_system}, message}', () => {
  const update = 'PATCH /media_library/folders/{moving}';
  const updated = (name: string, parent: string | null) => ({
    data: { id: '{moving}', name, parent_id: parent, is_system: false },
    message: expect.any(String),
  });
  beforeAll(async () => {
    world.ids.moving = await world.folder('Moving', '{other}');
  });
  table(
    () => world,
    [
      {
        name: 'a name alone; parent_id "absent on update = unchanged"',
        send: update,
        json: { name: 'Moved' },
        status: 200,
        expect: updated('Moved', '{other}'),
      },
      {
        name: 'nothing at all changes nothing',
        send: update,
        json: {},
        status: 200,
        expect: updated('Moved', '{other}'),
      },
      {
        name: 'a parent alone',
        send: update,
        json: { parent_id: '{grandchild}' },
        status: 200,
        expect: updated('Moved', '{grandchild}'),
      },
      {
        name: '"null = to the top"',
        send: update,
        json: { parent_id: null },
        status: 200,
        expect: updated('Moved', null),
      },
      {
        name: 'both, the name trimmed',
        send: update,
        json: { name: ' Both ', parent_id: '{top}' },
        status: 200,
        expect: updated('Both', '{top}'),
      },
      {
        name: 'a name too long',
        send: update,
        json: { name: 'n'.repeat(101) },
        status: 422,
        invalid: { name: 'The name field must not be greater than 100 characters.' },
      },
      { name: 'an empty name', send: update, json: { name: '  ' }, status: 422, invalid: { name: true } },
      { name: 'a null name', send: update, json: { name: null }, status: 422, invalid: { name: true } },
      {
        name: 'both wrong, both told',
        send: update,
        json: { name: [], parent_id: '{moving}' },
        status: 422,
        invalid: { name: true, parent_id: true },
      },
      {
        name: 'a refused update changed nothing',
        send: 'GET /media_library/folders/{moving}',
        status: 200,
        expect: { data: { id: '{moving}', name: 'Both', parent_id: '{top}' } },
      },
    ],
  );
});

describe('"At most 16 levels"', () => {
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
      {
        name: 'a seventeenth is refused',
        send: create,
        json: { name: 'Level 17', parent_id: '{level16}' },
        status: 422,
        invalid: { parent_id: true },
      },
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

describe('"List: the paginated form, every folder of the workspace, {id, name, parent_id, is_system}, most recently updated first"', () => {
  table(
    () => world,
    [
      {
        name: 'exactly these fields',
        send: `GET ${folders}?per_page=100`,
        status: 200,
        after: (reply) => {
          for (const entry of arrayAt(reply.json, 'data')) {
            expect(Object.keys(Object(entry)).sort()).toEqual(['id', 'is_system', 'name', 'parent_id']);
          }
          expect(arrayAt(reply.json, 'data')).toContainEqual(
            world.fill({ id: '{child}', name: 'Child', parent_id: '{top}', is_system: false }),
          );
        },
      },
      {
        name: 'what was renamed last comes first',
        send: `GET ${folders}?per_page=2`,
        status: 200,
        before: async () => {
          await world.call('PATCH /media_library/folders/{child}', { json: { name: 'Child' } });
          await world.call('PATCH /media_library/folders/{child}', { json: { name: 'Child renamed' } });
          world.ids.newest = await world.folder('Newest');
        },
        after: (reply) => expect(idsOf(reply)).toEqual(world.fill(['{newest}', '{child}'])),
      },
      {
        name: '"parent_id=root filters"',
        send: `GET ${folders}?parent_id=root&per_page=100`,
        status: 200,
        after: (reply) => {
          for (const entry of arrayAt(reply.json, 'data')) expect(at(entry, 'parent_id')).toBeNull();
          expect(idsOf(reply)).toContain(world.fill('{top}'));
          expect(idsOf(reply)).not.toContain(world.fill('{child}'));
        },
      },
      {
        name: '"parent_id=<uuid> filters"',
        send: `GET ${folders}?parent_id={child}`,
        status: 200,
        after: (reply) => {
          for (const entry of arrayAt(reply.json, 'data')) expect(at(entry, 'parent_id')).toBe(world.fill('{child}'));
          expect(idsOf(reply)).toContain(world.fill('{grandchild}'));
        },
      },
      {
        name: 'an unknown parent_id: 422',
        send: `GET ${folders}?parent_id={unknown}`,
        status: 422,
        invalid: { parent_id: true },
      },
      {
        name: 'a malformed parent_id: 422',
        send: `GET ${folders}?parent_id=nowhere`,
        status: 422,
        invalid: { parent_id: true },
      },
    ],
  );
});

describe('"is_system … takes media and subfolders, but can\'t be renamed, moved or deleted: 422 on folder"', () => {
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
      {
        name: 'renamed',
        send: 'PATCH /media_library/folders/{inbox}',
        json: { name: 'Outbox' },
        status: 422,
        invalid: { folder },
      },
      {
        name: 'moved',
        send: 'PATCH /media_library/folders/{inbox}',
        json: { parent_id: '{top}' },
        status: 422,
        invalid: { folder },
      },
      { name: 'deleted', send: 'DELETE /media_library/folders/{inbox}', status: 422, invalid: { folder } },
      {
        name: 'shown as any other',
        send: 'GET /media_library/folders/{inbox}',
        status: 200,
        expect: { data: { id: '{inbox}', name: 'Inbox', parent_id: null } },
      },
      {
        name: 'takes a subfolder',
        send: create,
        json: { name: 'Below', parent_id: '{inbox}' },
        status: 201,
        expect: created('Below', '{inbox}'),
      },
      {
        name: 'has a name like the others: no twin of it',
        send: create,
        json: { name: 'INBOX' },
        status: 422,
        invalid: { name: true },
      },
    ],
  );

  test('takes media', async () => {
    const item = await world.storeOne(field('folder_id', String(world.ids.inbox)), file('logo.png', png()));
    expect(item.folder_id).toBe(String(world.ids.inbox));
  });
});

describe('"DELETE → 204; 422 on folder unless it is empty"', () => {
  beforeAll(async () => {
    world.ids.full = await world.folder('Full');
    world.ids.inner = await world.folder('Inner', '{full}');
    world.ids.item = (await world.storeOne(field('folder_id', String(world.ids.inner)), file('a.png', png()))).id;
  });
  const remove = (key: string) => `DELETE /media_library/folders/{${key}}`;
  table(
    () => world,
    [
      { name: 'a subfolder is in it', send: remove('full'), status: 422, invalid: { folder: true } },
      { name: 'media is in it', send: remove('inner'), status: 422, invalid: { folder: true } },
      { name: 'media moved out of it', send: 'PATCH /media_contents/{item}', json: { folder_id: null }, status: 200 },
      { name: 'empty', send: remove('inner'), status: 204, after: (reply) => expect(reply.text).toBe('') },
      { name: 'a second time it is unknown', send: remove('inner'), status: 404, message: 'Not found.' },
      { name: 'it shows no longer', send: 'GET /media_library/folders/{inner}', status: 404, message: 'Not found.' },
      {
        name: 'it takes no media',
        send: 'PATCH /media_contents/{item}',
        json: { folder_id: '{inner}' },
        status: 422,
        invalid: { folder_id: true },
      },
      { name: 'its name is free again', send: create, json: { name: 'Inner', parent_id: '{full}' }, status: 201 },
    ],
  );
});
