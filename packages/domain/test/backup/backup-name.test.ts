import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { backupName, incompleteName, isBackupPath, isDated, isNameOf } from '../../src/index.ts';

const PATTERN = 'postshelf-{date}.tar';
const TIME = Date.UTC(2026, 10, 21, 6, 15, 10, 743);

test('a backup name has the UTC date and time to the second', () => {
  expect(backupName(PATTERN, TIME)).toBe('postshelf-20261121T061510Z.tar');
  expect(backupName('postshelf.tar', TIME)).toBe('postshelf.tar');
  expect([isDated(PATTERN), isDated('postshelf.tar')]).toEqual([true, false]);
});

test('backup names sort by time and match their pattern', () => {
  const times = fc.integer({ min: 0, max: Date.UTC(9999, 0) }).map((time) => time - (time % 1000));
  const part = fc.stringMatching(/^[^/{}]{0,8}$/);
  fc.assert(
    fc.property(part, part, times, times, (before, after, one, two) => {
      const pattern = `${before}{date}${after}`;
      const names = [backupName(pattern, one), backupName(pattern, two)] as const;
      expect(names.map((name) => isNameOf(pattern, name))).toEqual([true, true]);
      expect(Math.sign(one - two)).toBe(names[0] < names[1] ? -1 : names[0] > names[1] ? 1 : 0);
      expect(isNameOf(pattern, incompleteName(names[0]))).toBe(false);
    }),
  );
});

describe('isNameOf', () => {
  test.each([
    'postshelf-{date}.tar',
    'postshelf-.tar',
    'postshelf-20261121T061510Z.tar.incomplete',
    'postshelf-20261121T061510Z.tar.gz',
    'old-postshelf-20261121T061510Z.tar',
    'postshelf-20261121T061510Z-kept.tar',
    'postshelf-20261121T061510.tar',
    'postshelf-2026-11-21T06:15:10Z.tar',
    'postshelf-20261321T061510Z.tar',
    'postshelf-20260230T061510Z.tar',
    'postshelf-20261121T256199Z.tar',
    'postshelf-٢٠٢٦1121T061510Z.tar',
    'Postshelf-20261121T061510Z.tar',
    'postshelf-20261121T061510Z.tar\n',
  ])('rejects %j', (name) => {
    expect(isNameOf(PATTERN, name)).toBe(false);
  });
});

test("a name shorter than the prefix and suffix of its pattern doesn't match", () => {
  expect(isNameOf('aa{date}aa', 'aaa')).toBe(false);
  expect(isNameOf('{date}', '20261121T061510Z')).toBe(true);
});

test.each([
  ['postshelf.tar', true],
  ['/backups/postshelf-{date}.tar', true],
  ['{date}', true],
  ['/backups/{date}/postshelf.tar', false],
  ['/backups/{date}-{date}.tar', false],
  ['/{date}/{date}.tar', false],
])('isBackupPath(%s) is %p', (path, may) => {
  expect(isBackupPath(path)).toBe(may);
});
