import { describe, expect, test } from 'bun:test';
import { MAX_METRIC, QUARTERS_PER_DAY } from '@postshelf/domain';
import fc from 'fast-check';
import { type DayTally, decodeDay, emptyDay, encodeDay } from '../../src/best-times/day-tally.ts';

type Quarter = readonly [quarter: number, posts: number, engagement: number];

const tallyOf = (quarters: readonly Quarter[]): DayTally => {
  const day = emptyDay();
  for (const [quarter, posts, engagement] of quarters) {
    day.posts[quarter] = posts;
    day.engagement[quarter] = engagement;
  }
  return day;
};

const read = (bytes: Uint8Array): Quarter[] => {
  const quarters: Quarter[] = [];
  decodeDay(bytes, (...quarter) => quarters.push(quarter));
  return quarters;
};

const anyQuarters = fc
  .uniqueArray(
    fc.tuple(
      fc.nat({ max: QUARTERS_PER_DAY - 1 }),
      fc.oneof(fc.constantFrom(1, 2 ** 32 - 1), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
      fc.oneof(fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.nat({ max: Number.MAX_SAFE_INTEGER })),
    ),
    { selector: ([quarter]) => quarter, maxLength: QUARTERS_PER_DAY },
  )
  .map((quarters) => quarters.toSorted(([a], [b]) => a - b));

describe('the stored form of a day', () => {
  test('is the one that existing databases have', () => {
    const bytes = encodeDay(
      tallyOf([
        [1, 2, 3],
        [95, 258, 4 * MAX_METRIC],
      ]),
    );
    expect(Buffer.from(bytes ?? []).toString('hex')).toBe('01020000000000000000000840' + '5f02010000000000e876485742');
    expect(read(bytes ?? new Uint8Array())).toEqual([
      [1, 2, 3],
      [95, 258, 400_000_000_000],
    ]);
  });

  test('is null for a day without posts', () => {
    expect(encodeDay(emptyDay())).toBeNull();
    expect(encodeDay(tallyOf([[3, 0, 7]]))).toBeNull();
    expect(read(new Uint8Array())).toEqual([]);
  });

  test('has 13 bytes for each quarter with posts, in order, and is read back unchanged', () => {
    fc.assert(
      fc.property(anyQuarters, fc.nat({ max: 20 }), (quarters, offset) => {
        const bytes = encodeDay(tallyOf(quarters)) ?? new Uint8Array();
        expect(bytes).toHaveLength(13 * quarters.length);
        // A driver may return a view of a larger buffer.
        const part = new Uint8Array(offset + bytes.length + 7);
        part.set(bytes, offset);
        expect(read(part.subarray(offset, offset + bytes.length))).toEqual(quarters);
      }),
    );
  });
});

describe('bytes that encodeDay never produces', () => {
  const good = encodeDay(
    tallyOf([
      [1, 1, 1],
      [2, 1, 1],
    ]),
  );
  const bytes = Buffer.from(good ?? []);

  test.each<[string, Buffer]>([
    ['cut off', bytes.subarray(0, 25)],
    ['too long', Buffer.concat([bytes, Buffer.from([3])])],
    ['a quarter twice', Buffer.concat([bytes, bytes.subarray(13)])],
    ['quarters out of order', Buffer.concat([bytes.subarray(13), bytes.subarray(0, 13)])],
    ['a quarter out of range', Buffer.concat([Buffer.from([96]), bytes.subarray(1, 13)])],
  ])('are refused: %s', (_what, damaged) => {
    expect(() => read(damaged)).toThrow('postshelf analytics rebuild');
  });
});
