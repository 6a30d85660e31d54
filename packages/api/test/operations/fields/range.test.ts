import { describe, expect, test } from 'bun:test';
import { invalid } from '@postshelf/domain';
import fc from 'fast-check';
import * as v from 'valibot';
import { notReversed, readRange } from '../../../src/operations/fields/range.ts';

const TO_BEFORE_FROM = invalid('to', 'The to field must be a date after or equal to from.');
const query = v.pipe(v.object({ from: v.optional(v.string()), to: v.optional(v.string()) }), notReversed());
const isReversed = (range: { from?: string; to?: string }): boolean => !v.is(query, range);

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia', 'America/New_York'];

const someZone = fc.constantFrom(...ZONES);
const someDay = fc.integer({ min: 0, max: 40_000 });
const dayOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

describe('a range of times', () => {
  test('of dates covers whole days of the time zone and is rejected if reversed', () => {
    fc.assert(
      fc.property(someZone, someDay, someDay, (zone, from, to) => {
        const range = { from: dayOf(from), to: dayOf(to) };
        expect(isReversed(range)).toBe(to < from);
        if (to < from) {
          expect(() => readRange(range, zone)).toThrow(TO_BEFORE_FROM);
          return;
        }
        const { from: start = Number.NaN, to: end = Number.NaN } = readRange(range, zone);
        // Two offsets of the same zone differ by at most 25 hours: Samoa has used -11:00 and, since 2011, +14:00.
        expect(Math.abs(end + 1 - start - (to - from + 1) * DAY)).toBeLessThanOrEqual(DAY + HOUR);
      }),
      { numRuns: 300 },
    );
  });

  test('of instants is the same in every time zone', () => {
    const someInstant = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000);
    fc.assert(
      fc.property(someZone, someInstant, someInstant, (zone, from, to) => {
        const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
        expect(isReversed(range)).toBe(to < from);
        if (to < from) expect(() => readRange(range, zone)).toThrow(TO_BEFORE_FROM);
        else expect(readRange(range, zone)).toEqual({ from, to });
      }),
      { numRuns: 300 },
    );
  });

  test('with a date and an instant has its ends compared in the workspace’s time zone', () => {
    const range = { from: '2026-06-02', to: '2026-06-01T23:00:00Z' };
    expect(isReversed(range)).toBe(false);
    expect(readRange(range, 'Europe/Berlin')).toEqual({
      from: Date.UTC(2026, 5, 1, 22),
      to: Date.UTC(2026, 5, 1, 23),
    });
    expect(() => readRange(range, 'UTC')).toThrow(TO_BEFORE_FROM);
  });

  test('has its ends compared as times, whatever their notation', () => {
    expect(isReversed({ from: '2026-06-01T10:00', to: '2026-06-01 09:59:59' })).toBe(true);
    expect(isReversed({ from: '2026-06-01', to: '2026-05-31' })).toBe(true);
    expect(isReversed({ from: '2026-06-01T10:00:00+0200', to: '2026-06-01T08:00:00Z' })).toBe(false);
    expect(isReversed({ from: '2026-06-01T10:00:00-0200', to: '2026-06-01T08:00:00Z' })).toBe(true);
    expect(isReversed({ from: '2026-06-01T10:00:00', to: '2026-06-01T08:00:00Z' })).toBe(false);
    expect(readRange({ from: '2026-06-01T10:00:00', to: '2026-06-01T10:00:00+0200' }, 'Europe/Berlin')).toEqual({
      from: Date.UTC(2026, 5, 1, 8),
      to: Date.UTC(2026, 5, 1, 8),
    });
  });

  test('may have one end or none', () => {
    expect(readRange({}, 'UTC')).toEqual({});
    expect(readRange({ from: '2026-06-01' }, 'UTC')).toEqual({ from: Date.UTC(2026, 5, 1) });
    expect(readRange({ to: '2026-06-01' }, 'UTC')).toEqual({ to: Date.UTC(2026, 5, 2) - 1 });
    expect(isReversed({ from: '2026-06-01' })).toBe(false);
    expect(isReversed({ to: '2026-06-01' })).toBe(false);
  });

  test('is not reported as reversed if one end cannot be parsed', () => {
    expect(isReversed({ from: 'tomorrow', to: '2026-06-01' })).toBe(false);
    expect(isReversed({ from: '2026-06-01', to: 'yesterday' })).toBe(false);
  });
});
