import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { bigEndian, littleEndian, makeBytes } from '../../src/fuzz/bytes/bytes.ts';
import { SEED_NAMES, seedBytes } from '../../src/fuzz/bytes/seeds.ts';
import { layoutOf } from '../../src/fuzz/formats/layouts.ts';
import { brokenMedia } from '../../src/fuzz/formats/mutation.ts';

describe('the bytes of a case', () => {
  test('are its texts, slices and repetitions, one after the other', () => {
    const seed = { seed: 'png.png', from: 1, to: 4 };
    const bytes = makeBytes(['{{a}}\xff', seed, { repeat: ['x', seed], times: 2 }], (text) =>
      text.replace('{{a}}', 'A'),
    );
    expect(Buffer.from(bytes).toString('latin1')).toBe('A\xffPNGxPNGxPNG');
  });

  test('are never more than a few megabytes', () => {
    const many = { repeat: { repeat: 'abc', times: 1e9 }, times: 1e9 };
    expect(makeBytes([many, many]).length).toBeLessThan(10 * 1024 * 1024);
  });

  test('hold numbers in either order', () => {
    expect(bigEndian(0x0102, 4) + littleEndian(0x0102, 3)).toBe('\0\0\x01\x02\x02\x01\0');
    expect(bigEndian(-1, 2)).toBe('\xff\xff');
  });

  test('are the same after a way through a file', () => {
    fc.assert(
      fc.property(brokenMedia, (media) => {
        expect(makeBytes(JSON.parse(JSON.stringify(media)))).toEqual(makeBytes(media));
      }),
      { numRuns: 50 },
    );
  });
});

describe('what a seed is made of', () => {
  test.each([...SEED_NAMES])('%s', (name) => {
    const { fields, units } = layoutOf(name);
    const { length } = seedBytes(name);
    expect(fields.length).toBeGreaterThan(10);
    expect(units.length).toBeGreaterThan(0);
    for (const { from, to } of units) expect(from >= 0 && from < to && to <= length).toBe(true);
    for (const { at, length: bytes } of fields) expect(at + bytes).toBeLessThanOrEqual(length);
  });
});
