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
  )('is the same of %s, which can’t be siblings', (_title, one, other) => {
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
  )('differs of %s, which can', (_title, one, other) => {
    expect(folderNameKey(one)).not.toBe(folderNameKey(other));
  });

  test('is its own key, which ignores case, normal form and white space around it', () => {
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

  test('allows a new folder on any level down to the sixteenth', () => {
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

  test('refuses the folder itself and a folder below it as parent, before it looks at levels', () => {
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
    ['the top level', null, [], null],
    ['a parent that the workspace has', parent, [parent], null],
    ['a parent that it has not', parent, [], 'parent_missing'],
    ['the folder itself', folder, [folder], 'cycle'],
  ])('below %s', (_, parentId, ancestors, refusal) => {
    expect(refuseParent(parentId, { folder, ancestors, height: 1 })).toBe(refusal);
  });
});

test.each([
  ['an empty folder', false, false, null, null],
  ['a folder in use', false, true, null, 'not_empty'],
  ['an empty system folder', true, false, 'system', 'system'],
  ['a system folder in use', true, true, 'system', 'system'],
] as const)('%s may be changed and removed, or why not', (_, isSystem, isInUse, change, removal) => {
  expect(refuseChange({ isSystem })).toBe(change);
  expect(refuseRemoval({ isSystem }, isInUse)).toBe(removal);
});

test('every refusal is reported on a field of the request, or on the folder, in a sentence', () => {
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
