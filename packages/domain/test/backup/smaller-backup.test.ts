import { expect, test } from 'bun:test';
import { type BackupContents, describeContents, isMuchSmaller } from '../../src/index.ts';

const contents = (objects: number, workspaces: number | null = 1, withMedia = true): BackupContents => ({
  objects,
  workspaces,
  withMedia,
});

test.each<[string, BackupContents, BackupContents, boolean]>([
  ['false for as many objects as before', contents(10), contents(10), false],
  ['false for more objects than before', contents(11), contents(10), false],
  ['false for half of the objects', contents(5), contents(10), false],
  ['true for one object less than half', contents(4), contents(10), true],
  ['true for less than half of an odd number of objects', contents(1), contents(3), true],
  ['true for no object after one', contents(0), contents(1), true],
  ['false for no object after none', contents(0), contents(0), false],
  ['true for no workspace after two, with no objects in either backup', contents(0, 0), contents(0, 2), true],
  ['false for one workspace of three', contents(0, 1), contents(0, 3), false],
  ['false for no workspaces if the earlier backup has no workspace count', contents(0, 0), contents(0, null), false],
  ['true for a backup without media after one with media', contents(10, 1, false), contents(10, 1, true), true],
  ['false for a backup without media if there was no object', contents(0, 1, false), contents(0, 1, true), false],
  ['false for a backup with media after one without', contents(10, 1, true), contents(10, 1, false), false],
])('isMuchSmaller is %s', (_, next, before, expected) => {
  expect(isMuchSmaller(next, before)).toBe(expected);
});

test('describeContents counts workspaces and objects, and says whether media are included', () => {
  expect(describeContents(contents(1, 1))).toBe('1 workspace and 1 object (media included)');
  expect(describeContents(contents(0, 2, false))).toBe('2 workspaces and 0 objects (media not included)');
  expect(describeContents(contents(3, null))).toBe('3 objects (media included)');
});
