import { expect, test } from 'bun:test';
import { ALL, type Folder, FolderRows, sortFolders } from '../../src/folders/folder-rows.ts';

const folder = (id: string, parent_id: string | null, folders: number): Folder => ({
  id,
  name: id,
  parent_id,
  is_system: false,
  counts: { media: 0, folders },
});

const children = new Map<string | null, Folder[]>([
  [null, [folder('brand', null, 0), folder('campaigns', null, 2), folder('closed', null, 1)]],
  ['campaigns', [folder('autumn', 'campaigns', 0), folder('summer', 'campaigns', 1)]],
]);

test('a tree has a row for each folder whose parents are expanded, with its level and position', () => {
  // The folders in "summer" haven't been read yet.
  const rows = new FolderRows((parent) => children.get(parent), new Set(['campaigns', 'summer', 'gone']));
  const shown = Array.from({ length: rows.size }, (_, at) => {
    const { level, place, siblings, isExpanded } = rows.valueAt(at) ?? {};
    return [rows.keyAt(at), level, place, siblings, isExpanded];
  });
  expect(shown).toEqual([
    [ALL, 1, 1, 4, undefined],
    ['brand', 1, 2, 4, undefined],
    ['campaigns', 1, 3, 4, true],
    ['autumn', 2, 1, 2, undefined],
    ['summer', 2, 2, 2, true],
    ['closed', 1, 4, 4, false],
  ]);
  expect([rows.indexOf('summer'), rows.indexOf('gone'), rows.nameAt(0)]).toEqual([4, -1, 'All media']);
});

test('folders are sorted by name, ignoring case and accents, with numbers by value', () => {
  const names = ['Week 10', 'week 9', 'Ärmel', 'Zoo', 'arm'];
  const sorted = sortFolders(names.map((name) => ({ ...folder(name, null, 0), name })));
  expect(sorted.map(({ name }) => name)).toEqual(['arm', 'Ärmel', 'week 9', 'Week 10', 'Zoo']);
});
