import { describe, expect, test } from 'bun:test';
import { readFolderName } from '@postshelf/domain';
import { titled } from '../support/titled.ts';

describe('readFolderName', () => {
  test.each(
    titled([
      ['Beach', 'Beach'],
      ['  Beach\t', 'Beach'],
      ['cafe\u0301', 'caf\u00e9'],
      ['👩‍👩‍👧', '👩‍👩‍👧'],
      ['a/b', 'a/b'],
      ['x'.repeat(100), 'x'.repeat(100)],
      ['😀'.repeat(100), '😀'.repeat(100)],
    ]),
  )('reads %s', (_title, typed, name) => {
    expect(readFolderName(typed)).toEqual({ name });
  });

  test.each(
    titled([
      ['', 'is required.'],
      [' \t\u00a0', 'is required.'],
      ['\u200b\u2060', 'is required.'],
      ['x'.repeat(101), 'must not be greater than 100 characters.'],
      ['x'.repeat(1_000_000), 'must not be greater than 100 characters.'],
      ['a\u0000b', 'must not contain control characters.'],
      ['a\u202eb', 'must not contain control characters.'],
      ['a\ud800', 'must not contain control characters.'],
      ['a\u2028b', 'must not contain control characters.'],
    ]),
  )('refuses %s', (_title, typed, problem) => {
    expect(readFolderName(typed)).toEqual({ problem });
  });

  test("doesn't normalise a name that is far too long", () => {
    // The name has marks of two classes, out of order. Normalising all of it would take minutes.
    const hostile = `a${'\u0301\u0316'.repeat(250_000)}`;
    expect(readFolderName(hostile)).toHaveProperty('problem');
  });
});
