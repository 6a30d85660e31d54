import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  checkPlacement,
  FOLDER_NAME_LENGTH,
  FOLDER_REFUSALS,
  folderNameKey,
  MAX_FOLDER_DEPTH,
  refuseChange,
  refuseParent,
  refuseRemoval,
  type Uuid,
} from '../../src/index.ts';
import { anyUuid, hostileText } from '../support/arbitraries.ts';
import { titled } from '../support/titled.ts';

describe('folderNameKey', () => {
  test.each(
    titled([
      ['Summer', 'SUMMER'],
      ['Summer', '  summer\t'],
      ['Café', 'CAFE\u0301'],
      ['οδός', 'ΟΔΌΣ'],
      ['ΟΔΟΣ', 'οδος'],
      ['Straße', 'STRASSE'],
      ['Straße', 'STRAẞE'],
      ['İzmir', 'i\u0307zmir'],
    ]),
  )('is equal for %s, which can’t be siblings', (_title, one, other) => {
    expect(folderNameKey(one)).toBe(folderNameKey(other));
  });

  test.each(
    titled([
      ['Summer', 'Summer 2'],
      ['Cafe', 'Café'],
      ['a b', 'ab'],
      ['a  b', 'a b'],
      ['İzmir', 'Izmir'],
    ]),
  )('differs for %s, which can be siblings', (_title, one, other) => {
    expect(folderNameKey(one)).not.toBe(folderNameKey(other));
  });

  test('is idempotent, and ignores case, normal form and surrounding white space', () => {
    fc.assert(
      fc.property(hostileText, (any) => {
        const name = any.normalize('NFC').trim();
        const key = folderNameKey(name);
        expect(folderNameKey(key)).toBe(key);
        for (const same of [` ${name}\n`, name.normalize('NFD'), name.toUpperCase(), name.toLowerCase()]) {
          expect(folderNameKey(same)).toBe(key);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('checkPlacement', () => {
  const chain = (length: number): Uuid[] =>
    fc.sample(fc.uniqueArray(anyUuid, { minLength: length, maxLength: length }), 1)[0] ?? [];

  test('allows a new folder at any level down to the sixteenth', () => {
    expect(MAX_FOLDER_DEPTH).toBe(16);
    for (let above = 0; above < 16; above += 1) {
      expect(checkPlacement({ folder: null, ancestors: chain(above), height: 1 })).toBeNull();
    }
    expect(checkPlacement({ folder: null, ancestors: chain(16), height: 1 })).toBe('too_deep');
  });

  test('counts the levels below a folder that is moved', () => {
    const [folder = null] = chain(1);
    expect(checkPlacement({ folder, ancestors: chain(13), height: 3 })).toBeNull();
    expect(checkPlacement({ folder, ancestors: chain(14), height: 3 })).toBe('too_deep');
    expect(checkPlacement({ folder, ancestors: [], height: 16 })).toBeNull();
  });

  test('refuses the folder itself or a descendant as its parent, before it counts levels', () => {
    const [folder = null, child, grandchild] = chain(3);
    const below = [grandchild, child, folder].filter((id) => id !== undefined && id !== null);
    for (let from = 0; from < below.length; from += 1) {
      expect(checkPlacement({ folder, ancestors: below.slice(from), height: 3 })).toBe('cycle');
    }
    expect(checkPlacement({ folder, ancestors: [...below, ...chain(14)], height: 3 })).toBe('cycle');
  });
});

describe('refuseParent', () => {
  const [parent, folder] = fc.sample(anyUuid, 2) as [Uuid, Uuid];

  test.each<[string, Uuid | null, Uuid[], ReturnType<typeof refuseParent>]>([
    ['allows the top level', null, [], null],
    ['allows a parent in the workspace', parent, [parent], null],
    ['refuses a parent that the workspace lacks', parent, [], 'parent_missing'],
    ['refuses the folder itself', folder, [folder], 'cycle'],
  ])('%s', (_, parentId, ancestors, refusal) => {
    expect(refuseParent(parentId, { folder, ancestors, height: 1 })).toBe(refusal);
  });
});

test.each([
  ['an empty folder may be changed and deleted', false, false, null, null],
  ['a folder in use may be changed but not deleted', false, true, null, 'not_empty'],
  ['an empty system folder may be neither changed nor deleted', true, false, 'system', 'system'],
  ['a system folder in use may be neither changed nor deleted', true, true, 'system', 'system'],
] as const)('%s', (_, isSystem, isInUse, change, removal) => {
  expect(refuseChange({ isSystem })).toBe(change);
  expect(refuseRemoval({ isSystem }, isInUse)).toBe(removal);
});

test('every folder refusal has a field and a message that is a sentence', () => {
  expect(FOLDER_NAME_LENGTH).toEqual({ min: 1, max: 100 });
  const fields = Object.entries(FOLDER_REFUSALS).map(([refusal, { field }]) => [refusal, field]);
  expect(Object.fromEntries(fields)).toEqual({
    name_taken: 'name',
    parent_missing: 'parent_id',
    cycle: 'parent_id',
    too_deep: 'parent_id',
    system: 'folder',
    not_empty: 'folder',
  });
  for (const { sentence } of Object.values(FOLDER_REFUSALS)) expect(sentence).toMatch(/^The .+\.$/);
  expect(FOLDER_REFUSALS.too_deep.sentence).toContain(` ${MAX_FOLDER_DEPTH} `);
});
