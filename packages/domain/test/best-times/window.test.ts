import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { timeWindow } from '../../src/index.ts';
import { DAY } from '../support/zones.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

test('the time window is the last 90 days by default', () => {
  expect(timeWindow({}, NOW)).toEqual({ from: Date.parse('2025-10-17T12:00:00Z'), to: NOW });
});

test.each([
  ['ends now if it has no end', { from: 5 }, { from: 5, to: NOW }],
  ['begins 90 days before its end if it has no start', { to: 90 * DAY + 7 }, { from: 7, to: 90 * DAY + 7 }],
  ['has both given ends', { from: 1, to: 2 }, { from: 1, to: 2 }],
  ['may be a single millisecond', { from: 2, to: 2 }, { from: 2, to: 2 }],
  ['may end in the future', { from: NOW, to: NOW + DAY }, { from: NOW, to: NOW + DAY }],
] as const)('the time window of a range %s', (_title, range, window) => {
  expect(timeWindow(range, NOW)).toEqual(window);
});

test.each([
  ['two instants', { from: 2, to: 1 }],
  ['a start in the future', { from: NOW + 1 }],
  ['a negative end', { from: 0, to: -1 }],
] as const)('the time window is null if it would end before it begins: %s', (_title, range) => {
  expect(timeWindow(range, NOW)).toBeNull();
});

test('the time window is clipped to the years 0000 to 9999, and not changed otherwise', () => {
  const [first, last] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
  const anyEnd = fc.integer({ min: first - 400 * DAY, max: last + 400 * DAY });
  fc.assert(
    fc.property(anyEnd, anyEnd, fc.integer({ min: first, max: last }), (one, other, instant) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const window = timeWindow({ from, to }, NOW) ?? { from: Number.NaN, to: Number.NaN };
      expect(window.from).toBeWithin(first, last + 1);
      expect(window.to).toBeWithin(first, last + 1);
      if (window.from < window.to) {
        expect(instant >= window.from && instant <= window.to).toBe(instant >= from && instant <= to);
      }
    }),
  );
});
