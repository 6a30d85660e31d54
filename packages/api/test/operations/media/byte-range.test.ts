import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseRange } from '../../../src/operations/media/serve-file.ts';

const SIZE = 1000;

/** Adds the row's header, shortened for the title of the test, as its first value. */
const named = <Row extends readonly [string, ...unknown[]]>(row: Row) => [row[0].slice(0, 40), ...row] as const;

const SATISFIABLE: readonly (readonly [header: string, start: number, end: number])[] = [
  ['bytes=0-0', 0, 0],
  ['bytes=0-999', 0, 999],
  ['bytes=10-19', 10, 19],
  ['bytes=10-', 10, 999],
  ['bytes=999-', 999, 999],
  ['bytes=10-5000', 10, 999],
  ['bytes=-1', 999, 999],
  ['bytes=-1000', 0, 999],
  ['bytes=-5000', 0, 999],
  ['Bytes = 10-19 ', 10, 19],
  [`bytes=5-${'9'.repeat(500)}`, 5, 999],
  [`bytes=-${'9'.repeat(500)}`, 0, 999],
];

const UNSATISFIABLE: readonly (readonly [string])[] = [
  ['bytes=1000-'],
  ['bytes=1000-1001'],
  ['bytes=-0'],
  [`bytes=${'9'.repeat(500)}-`],
];

describe('a byte range', () => {
  test.each(SATISFIABLE.map(named))('is parsed from %s', (_, header, start, end) => {
    expect(parseRange(header, SIZE)).toEqual({ start, end });
  });

  test.each(UNSATISFIABLE.map(named))('is unsatisfiable for %s', (_, header) => {
    expect(parseRange(header, SIZE)).toBe('unsatisfiable');
  });

  test.each([
    ['bytes=-'],
    ['bytes='],
    ['bytes'],
    [''],
    ['bytes=5-4'],
    ['bytes=0-1,5-6'],
    ['bytes=0-1,'],
    ['items=0-1'],
    ['bytes=a-b'],
    ['bytes=0x1-2'],
    ['bytes=1.0-2'],
    ['bytes=--1'],
    ['bytes=1-2-3'],
    ['bytes=+1-2'],
  ])('is ignored for %j', (header) => {
    expect(parseRange(header, SIZE)).toBeNull();
  });

  test('is unsatisfiable for an empty file', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) expect(parseRange(header, 0)).toBe('unsatisfiable');
  });

  test('always lies within the file', () => {
    const someHeader = fc.oneof(
      fc.tuple(fc.nat(20), fc.nat(20)).map(([first, last]) => `bytes=${first}-${last}`),
      fc.nat(20).map((first) => `bytes=${first}-`),
      fc.nat(20).map((length) => `bytes=-${length}`),
      fc.string().map((text) => `bytes=${text}`),
    );
    fc.assert(
      fc.property(someHeader, fc.nat(15), (header, size) => {
        const range = parseRange(header, size);
        if (range === null || range === 'unsatisfiable') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      }),
      { numRuns: 1000 },
    );
  });
});
