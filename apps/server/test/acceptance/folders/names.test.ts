import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { create, created } from './support/folders.ts';

// What a name may be, and which two are the same, is decided in the domain (packages/domain/test/folders).
setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.top = await world.folder('Top');
  world.ids.child = await world.folder('Child', '{top}');
  world.ids.other = await world.folder('Other');
  for (const name of ['Café', 'ÄRGER', 'ΣΊΣΥΦΟΣ']) await world.folder(name, '{other}');
});

afterAll(() => world.close());

describe('A name has 1 to 100 characters after trimming', () => {
  const required = 'The name field is required.';
  const tooLong = 'The name field must not be greater than 100 characters.';
  const text = 'The name field must be a string.';
  const taken: readonly [string, string, string][] = [
    ['spaces around are trimmed', '  \t Trimmed \n ', 'Trimmed'],
    ['a hundred emoji, each two UTF-16 units', '🏖'.repeat(100), '🏖'.repeat(100)],
    ['kept composed (NFC)', 'Nai\u0308ve', 'Na\u00efve'],
    [
      'markup, SQL and paths are names like others',
      `../<b>'; DROP TABLE folders; --`,
      `../<b>'; DROP TABLE folders; --`,
    ],
  ];
  table(
    () => world,
    [
      ...taken.map(([name, sent, kept]): Row => row(name, create, { name: sent }, 201, created(kept))),
      row('absent', create, {}, 422, { name: required }),
      row('nothing but spaces', create, { name: ' \t\u3000\u00a0\n ' }, 422, { name: required }),
      row('a hundred and one emoji', create, { name: '🏖'.repeat(101) }, 422, { name: tooLong }),
      row('a number', create, { name: 7 }, 422, { name: text }),
      row('an object', create, { name: { toString: 'x' } }, 422, { name: text }),
    ],
  );
});

describe('A name is unique among its siblings, whatever its case and its normal form', () => {
  const top = 'PATCH /media_library/folders/{top}';
  const mover = 'PATCH /media_library/folders/{mover}';
  beforeAll(async () => {
    world.ids.mover = await world.folder('CAFÉ', '{child}');
  });
  table(
    () => world,
    [
      ...['Café', 'CAFE\u0301', '  Café ', 'a\u0308rger', 'σίσυφος'].map(
        (name): Row =>
          row(`${JSON.stringify(name)} is there`, create, { name, parent_id: '{other}' }, 422, { name: true }),
      ),
      row('another parent', create, { name: 'café', parent_id: '{top}' }, 201, created('café', '{top}')),
      row('without its accent', create, { name: 'Cafe', parent_id: '{other}' }, 201),
      row('a renaming to one that is there', top, { name: 'OTHER' }, 422, { name: true }),
      row('a renaming to its own in another case', top, { name: 'TOP' }, 200),
      row('a move to where one is', mover, { parent_id: '{other}' }, 422, { name: true }),
      row('a move that renames on the way', mover, { name: 'Bistro', parent_id: '{other}' }, 200),
    ],
  );
});
