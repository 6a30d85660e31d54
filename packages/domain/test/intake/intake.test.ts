import { describe, expect, test } from 'bun:test';
import { fileNameOf, folderPath, MAX_FOLDER_DEPTH, readFolderName, reasonToLeaveOut } from '@postshelf/domain';
import fc from 'fast-check';

test('hidden files and system files are left out', () => {
  const names = ['.DS_Store', '._photo.jpg', '.git', 'Thumbs.db', 'THUMBS.DB', 'desktop.ini', '__MACOSX', '@eaDir'];
  expect(names.filter((name) => reasonToLeaveOut(name) === null)).toEqual([]);
  const kept = ['photo.jpg', 'Thumbs.db.jpg', 'thumbnail_a.png', 'a.b', '...a'.slice(3), 'system', '.', '..'];
  expect(kept.filter((name) => reasonToLeaveOut(name) !== null)).toEqual([]);
});

describe('folderPath', () => {
  test.each([
    ['photo.jpg', [], false],
    ['a/b/photo.jpg', ['a', 'b'], false],
    ['/a//b/photo.jpg', ['a', 'b'], false],
    ['../a/./../b/photo.jpg', ['a', 'b'], false],
    [' a /\u202eb\u0000/photo.jpg', ['a', 'b'], false],
    ['\u200b/\u0007/photo.jpg', ['folder', 'folder'], false],
    [`${'x'.repeat(99)} y/photo.jpg`, ['x'.repeat(99)], false],
    [`${'d/'.repeat(MAX_FOLDER_DEPTH)}photo.jpg`, Array(MAX_FOLDER_DEPTH).fill('d'), false],
    [`${'d/'.repeat(MAX_FOLDER_DEPTH + 1)}photo.jpg`, Array(MAX_FOLDER_DEPTH).fill('d'), true],
  ])('splits %j into %j', (path, names, isCut) => {
    expect(folderPath(path)).toEqual({ names, isCut });
  });

  test('returns only valid folder names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (path) => {
        for (const name of folderPath(`${path}/photo.jpg`).names) expect(readFolderName(name)).toEqual({ name });
      }),
    );
  });
});

test.each([
  ['is the last component of its path', 'a/photo.jpg', 'photo.jpg'],
  ['has no backslashes', 'a/one\\two:three?.jpg', 'one-two:three?.jpg'],
  ['is cut to 200 characters', `a/${'é'.repeat(300)}`, 'é'.repeat(200)],
])('the file name of an item %s', (_, path, name) => {
  expect(fileNameOf(path)).toBe(name);
});
