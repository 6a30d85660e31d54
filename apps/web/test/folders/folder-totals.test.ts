import { expect, test } from 'bun:test';
import type { Folder } from '../../src/folders/folder-rows.ts';
import { sumTotals } from '../../src/folders/folder-totals.ts';

const folder = (id: string, parent: string | null, media: number) =>
  ({ id, name: id, parent_id: parent, counts: { media, folders: 0 } }) as unknown as Folder;

test('a folder counts the media in itself and in its subfolders at any depth', () => {
  const totals = sumTotals([folder('a', null, 0), folder('b', 'a', 2), folder('c', 'b', 3), folder('d', null, 0)]);
  expect(Object.fromEntries(totals)).toEqual({
    a: { media: 5, filled: 'b' },
    b: { media: 5, filled: 'b' },
    c: { media: 3, filled: 'c' },
    d: { media: 0, filled: null },
  });
});

test('folders in a cycle or with a missing parent are counted as well', () => {
  const totals = sumTotals([folder('a', 'b', 1), folder('b', 'a', 2), folder('c', 'gone', 4)]);
  expect([...totals].map(([id, { media }]) => [id, media])).toEqual([
    ['a', 3],
    ['b', 3],
    ['c', 4],
  ]);
});
