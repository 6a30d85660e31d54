import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { idsOf } from '../support/shapes.ts';
import { row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { create, created, folders } from './support/folders.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  world.ids.grandchild = await world.folder('Grandchild', '{child}');
  world.ids.other = await world.folder('Other');
});

afterAll(() => world.close());

test('a request that creates a folder, with or without a parent, returns the folder as GET does', async () => {
  for (const [name, parent] of [
    ['Summer', undefined],
    ['Winter', null],
    ['Deep', '{top}'],
  ] as const) {
    const reply = await world.call(create, { json: { name, parent_id: parent } });
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual(world.fill(created(name, parent ?? null)));
    const shown = await world.call(`GET /media_library/folders/${stringAt(reply.json, 'data', 'id')}`);
    expect([shown.status, shown.json]).toEqual([200, { data: at(reply.json, 'data') }]);
  }
});

describe('updating a folder', () => {
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
        name: 'changes its name, and keeps its parent if parent_id is absent',
        send: update,
        json: { name: 'Moved' },
        status: 200,
        expect: updated('Moved', '{other}'),
      },
      row('changes nothing with an empty body', update, {}, 200, updated('Moved', '{other}')),
      row(
        'moves it if only parent_id is present',
        update,
        { parent_id: '{grandchild}' },
        200,
        updated('Moved', '{grandchild}'),
      ),
      row('moves it to the top level if parent_id is null', update, { parent_id: null }, 200, updated('Moved', null)),
      row(
        'changes both its parent and its name, which is trimmed',
        update,
        { name: ' Both ', parent_id: '{top}' },
        200,
        updated('Both', '{top}'),
      ),
      {
        name: 'is rejected if the name is null',
        send: update,
        json: { name: null },
        status: 422,
        invalid: { name: true },
      },
      row('is rejected with errors for both fields', update, { name: [], parent_id: '{moving}' }, 422, {
        name: true,
        parent_id: true,
      }),
      {
        name: 'changes nothing if it is rejected',
        send: 'GET /media_library/folders/{moving}',
        status: 200,
        expect: { data: { id: '{moving}', name: 'Both', parent_id: '{top}' } },
      },
    ],
  );
});

describe('the list of folders', () => {
  table(
    () => world,
    [
      {
        name: 'has exactly the documented fields',
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
        name: 'has the most recently updated folders first',
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
        name: 'has only top-level folders with parent_id=root',
        send: `GET ${folders}?parent_id=root&per_page=100`,
        status: 200,
        after: (reply) => {
          for (const entry of arrayAt(reply.json, 'data')) expect(at(entry, 'parent_id')).toBeNull();
          expect(idsOf(reply)).toContain(world.fill('{top}'));
          expect(idsOf(reply)).not.toContain(world.fill('{child}'));
        },
      },
      {
        name: 'has only subfolders of the parent in parent_id',
        send: `GET ${folders}?parent_id={child}`,
        status: 200,
        after: (reply) => {
          for (const entry of arrayAt(reply.json, 'data')) expect(at(entry, 'parent_id')).toBe(world.fill('{child}'));
          expect(idsOf(reply)).toContain(world.fill('{grandchild}'));
        },
      },
      row('is rejected for an unknown parent_id', `GET ${folders}?parent_id={unknown}`, undefined, 422, {
        parent_id: true,
      }),
      row('is rejected for a malformed parent_id', `GET ${folders}?parent_id=nowhere`, undefined, 422, {
        parent_id: true,
      }),
    ],
  );
});

describe('a folder', () => {
  beforeAll(async () => {
    world.ids.full = await world.folder('Full');
    world.ids.inner = await world.folder('Inner', '{full}');
    world.ids.item = (await world.storeOne(field('folder_id', String(world.ids.inner)), file('a.png', png()))).id;
  });
  const remove = (key: string) => `DELETE /media_library/folders/{${key}}`;
  table(
    () => world,
    [
      {
        name: 'cannot be deleted while it has a subfolder',
        send: remove('full'),
        status: 422,
        invalid: { folder: true },
      },
      { name: 'cannot be deleted while it has media', send: remove('inner'), status: 422, invalid: { folder: true } },
      {
        name: 'allows its media to be moved out',
        send: 'PATCH /media_contents/{item}',
        json: { folder_id: null },
        status: 200,
      },
      {
        name: 'can be deleted once it is empty',
        send: remove('inner'),
        status: 204,
        after: (reply) => expect(reply.text).toBe(''),
      },
      { name: 'cannot be deleted twice', send: remove('inner'), status: 404, message: 'Not found.' },
      {
        name: 'is not shown after its deletion',
        send: 'GET /media_library/folders/{inner}',
        status: 404,
        message: 'Not found.',
      },
      row('accepts no media after its deletion', 'PATCH /media_contents/{item}', { folder_id: '{inner}' }, 422, {
        folder_id: true,
      }),
      {
        name: 'frees its name when it is deleted',
        send: create,
        json: { name: 'Inner', parent_id: '{full}' },
        status: 201,
      },
    ],
  );
});
