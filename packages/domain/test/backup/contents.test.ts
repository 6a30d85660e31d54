import { expect, test } from 'bun:test';
import { type BackupContents, describeContents, isMuchSmaller } from '../../src/index.ts';

const contents = (objects: number, workspaces: number | null = 1, withMedia = true): BackupContents => ({
  objects,
  workspaces,
  withMedia,
});

test.each<[string, BackupContents, BackupContents, boolean]>([
  ['as much as before', contents(10), contents(10), false],
  ['more than before', contents(11), contents(10), false],
  ['half', contents(5), contents(10), false],
  ['one less than half', contents(4), contents(10), true],
  ['less than half of an odd number', contents(1), contents(3), true],
  ['nothing where one was', contents(0), contents(1), true],
  ['nothing where nothing was', contents(0), contents(0), false],
  ['no workspace where there were some, and no object', contents(0, 0), contents(0, 2), true],
  ['one workspace of three', contents(0, 1), contents(0, 3), false],
  ['no workspace where nobody counted them', contents(0, 0), contents(0, null), false],
  ['no media where there were some', contents(10, 1, false), contents(10, 1, true), true],
  ['no media where there was no object', contents(0, 1, false), contents(0, 1, true), false],
  ['media where there were none', contents(10, 1, true), contents(10, 1, false), false],
])('%s', (_, next, before, expected) => {
  expect(isMuchSmaller(next, before)).toBe(expected);
});

test('contents are described with their counts', () => {
  expect(describeContents(contents(1, 1))).toBe('1 workspace and 1 object (media included)');
  expect(describeContents(contents(0, 2, false))).toBe('2 workspaces and 0 objects (media not included)');
  expect(describeContents(contents(3, null))).toBe('3 objects (media included)');
});
