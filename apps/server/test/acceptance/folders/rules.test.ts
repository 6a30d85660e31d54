import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { row, table } from '../support/table.ts';

import { World } from '../support/world.ts';
import { create, created, folders } from './support/folders.ts';

// packages/domain/test/folders and the contract of folder repositories test every rule. These tests only check
// that the refusal by each rule names the right field.
let world: World;

const change = (key: string) => `PATCH /media_library/folders/{${key}}`;

beforeAll(async () => {
  world = await World.open({}, ['--system-folder', 'Inbox', '--system-folder', 'Brand']);
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  await world.folder('Café');
  const list = await world.call(`GET ${folders}?parent_id=root`);
  const inbox = arrayAt(list.json, 'data').find((entry) => at(entry, 'name') === 'Inbox');
  world.ids.inbox = stringAt(inbox, 'id');
});

afterAll(() => world.close());

describe('the name of a folder', () => {
  const name = '  \t Nai\u0308ve \n ';
  table(
    () => world,
    [
      row('is trimmed, and stored composed (NFC)', create, { name }, 201, created('Na\u00efve')),
      row('is required', create, { name: ' \t\u3000\u00a0\n ' }, 422, { name: 'The name field is required.' }),
      row('must be unique among its siblings: " CAFE\u0301 "', create, { name: ' CAFE\u0301 ' }, 422, { name: true }),
      row('cannot be changed to the name of a sibling', change('top'), { name: 'CAFE\u0301' }, 422, { name: true }),
    ],
  );
});

describe('an impossible parent is rejected', () => {
  const parent_id = true;
  table(
    () => world,
    [
      row('on create: {unknown}', create, { name: 'Orphan', parent_id: '{unknown}' }, 422, { parent_id }),
      row('on update: {unknown}', change('child'), { parent_id: '{unknown}' }, 422, { parent_id }),
      row('on update to the folder itself or below it: child', change('top'), { parent_id: '{child}' }, 422, {
        parent_id,
      }),
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
      { name: 'cannot be deleted', send: 'DELETE /media_library/folders/{inbox}', status: 422, invalid: { folder } },
    ],
  );
});
