import { describe, expect, test } from 'bun:test';
import { isQuota, NO_QUOTA, reachesMark, requireRoom, StorageFull, withoutRoom } from '../../src/index.ts';

const amount = (bytes: number, items = 0) => ({ bytes, items });
const NONE = amount(0);

describe('requireRoom', () => {
  const quota = { maxBytes: 10, maxItems: 2 };
  test.each([
    ['allows use of the last byte', { used: amount(10, 2), reserved: NONE, isSettled: false }, null],
    ['refuses a byte beyond the quota', { used: amount(11, 2), reserved: NONE, isSettled: false }, amount(3, 1)],
    ['refuses an item beyond the quota', { used: amount(4, 3), reserved: NONE, isSettled: false }, amount(10, 0)],
    ['counts unfinished uploads', { used: amount(8, 1), reserved: amount(3, 1), isSettled: false }, amount(3, 1)],
    [
      'ignores other unfinished uploads once an item is settled',
      { used: amount(8, 1), reserved: amount(3, 9), isSettled: true },
      null,
    ],
    [
      'refuses a settled item beyond a lowered quota',
      { used: amount(11, 1), reserved: NONE, isSettled: true },
      amount(3, 2),
    ],
  ])('%s', (_, { used, reserved, isSettled }, room) => {
    const require = () => requireRoom({ added: amount(4, 1), announced: NONE, isSettled }, quota, used, reserved);
    if (room === null) return expect(require).not.toThrow();
    expect(require).toThrow(StorageFull);
    expect(() => requireRoom({ added: NONE, announced: NONE, isSettled }, NO_QUOTA, used, reserved)).not.toThrow();
  });
});

test.each([
  ['those beyond the bytes', [4, 4, 4], amount(9, 9), [2]],
  ['a large one before a small one', [12, 4], amount(9, 9), [0]],
  ['those beyond the number of items', [1, 1, 1], amount(Infinity, 1), [1, 2]],
  ['all, if they would fit together', [1, 1], amount(5, 5), [0, 1]],
])('withoutRoom returns the files to refuse: %s', (_, sizes, room, beyond) => {
  expect(withoutRoom(sizes, room)).toEqual(beyond);
});

test.each([
  ['79 bytes', '80 bytes', true, amount(79), amount(80)],
  ['80 bytes', '99 bytes', false, amount(80), amount(99)],
  ['99 bytes', '100 bytes', true, amount(99), amount(100)],
  ['100 bytes', '79 bytes', false, amount(100), amount(79)],
  ['3 items', '4 items', true, amount(80, 3), amount(80, 4)],
])(
  'with a quota of 100 bytes and 5 items, a change from %s to %s reaches 80 or 100 percent: %p',
  (_, __, isReached, before, after) => {
    const quota = { maxBytes: 100, maxItems: 5 };
    expect(reachesMark({ ...before, ...quota }, { ...after, ...quota })).toBe(isReached);
    expect(reachesMark({ ...before, ...NO_QUOTA }, { ...after, ...NO_QUOTA })).toBe(false);
  },
);

test('a quota is a safe integer that is not negative', () => {
  expect([0, 2 ** 53 - 1, 2 ** 53, -1, 0.5, Number.NaN].map(isQuota)).toEqual([true, true, false, false, false, false]);
});
