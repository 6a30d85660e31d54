import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { QUARTER, QUARTERS_PER_DAY, quarterOf } from '../../src/index.ts';
import { DAY } from '../support/zones.ts';

test.each([
  ['1970-01-01T00:00:00.000Z', 0],
  ['1970-01-01T00:14:59.999Z', 0],
  ['1970-01-01T00:15:00.000Z', 1],
  ['1970-01-01T23:59:59.999Z', 95],
  ['1970-01-02T00:00:00.000Z', 96],
  ['1969-12-31T23:59:59.999Z', -1],
  ['9999-12-31T23:59:59.999Z', 281_558_111],
])('%s lies in quarter %p', (instant, quarter) => {
  expect(quarterOf(Date.parse(instant))).toBe(quarter);
});

test('a day has 96, of which each is the minutes from 0, 15, 30 or 45 of an hour of UTC', () => {
  expect(QUARTERS_PER_DAY * QUARTER).toBe(DAY);
  fc.assert(
    fc.property(fc.date({ min: new Date(-DAY), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      const start = new Date(quarterOf(date.getTime()) * QUARTER);
      expect(date.getTime() - start.getTime()).toBeWithin(0, QUARTER);
      expect(start.getUTCMinutes()).toBe(15 * Math.floor(date.getUTCMinutes() / 15));
      expect([start.getUTCSeconds(), start.getUTCMilliseconds()]).toEqual([0, 0]);
    }),
  );
});
