import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { create, created } from './support/folders.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  world.ids.other = await world.folder('Other');
});

afterAll(() => world.close());

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
    ['nothing but spaces of other scripts', { name: '\u3000\u00a0\u2003' }, required],
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
