import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { instantOf, offsetAt, readTimeZone } from '../../src/index.ts';
import { compatibleInstant, zoned } from '../support/temporal.ts';
import { DAY, HOUR, zoneAndInstant } from '../support/zones.ts';

const MINUTE = 60 * 1000;
const at = (text: string): number => Date.parse(text);
/** Returns a local time in the form that `instantOf` takes. */
const local = (text: string): number => Date.parse(`${text}Z`);

describe('readTimeZone', () => {
  test.each([
    ...['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu', 'Etc/GMT+5', 'America/Port-au-Prince'],
    ...['UTC', 'GMT', 'EST5EDT', 'GB-Eire', 'NZ-CHAT', 'US/Pacific', 'Asia/Calcutta', 'Europe/Kiev', 'Europe/Kyiv'],
  ])('spells %p as the zone database does, regardless of case', (name) => {
    expect(readTimeZone(name)).toBe(name);
    expect(readTimeZone(name.toLowerCase())).toBe(name);
    expect(readTimeZone(name.toUpperCase())).toBe(name);
  });

  test.each([
    '',
    ' ',
    '+02:00',
    '-05',
    'Z',
    'UTC+2',
    'GMT+2',
    'Europe/Atlantis',
    'Europe/Berlin ',
    ' UTC',
    '../UTC',
    '1',
  ])('rejects %p', (name) => {
    expect(readTimeZone(name)).toBeNull();
  });
});

describe('offsetAt', () => {
  test.each<[string, string, number, number]>([
    ['Europe/Berlin', '2024-03-31T01:00:00Z', 60, 120],
    ['Australia/Lord_Howe', '2024-04-06T15:00:00Z', 660, 630],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', -600, 840],
    ['Africa/Monrovia', '1972-01-07T00:44:30Z', -44.5, 0],
  ])('in %s changes at %s from %p to %p minutes', (zone, change, before, after) => {
    expect(offsetAt(zone, at(change) - 1)).toBe(before * MINUTE);
    expect(offsetAt(zone, at(change))).toBe(after * MINUTE);
  });

  test('is 0 in UTC in every year that RFC 3339 can express', () => {
    for (const instant of [
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00Z',
      '1500-02-28T12:00:00Z',
      '9999-12-31T23:59:59Z',
    ]) {
      expect(offsetAt('UTC', at(instant))).toBe(0);
    }
  });

  test("equals Temporal's offset in every zone, up to the millisecond of a change", () => {
    fc.assert(
      fc.property(zoneAndInstant(Date.UTC(1900, 0, 1), Date.UTC(2100, 0, 1)), ({ zone, instant }) => {
        expect(offsetAt(zone, instant)).toBe(zoned(zone, instant).offsetNanoseconds / 1e6);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('instantOf', () => {
  describe('for a local time that occurs once', () => {
    test.each([
      ['Europe/Berlin', '2024-10-27T03:00', '2024-10-27T02:00Z'],
      ['Asia/Kathmandu', '2024-06-01T12:00', '2024-06-01T06:15Z'],
      ['Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00Z'],
      ['Africa/Casablanca', '2024-03-20T12:00', '2024-03-20T12:00Z'],
    ])('in %s, %s is %s', (zone, time, instant) => {
      expect(instantOf(zone, local(time))).toBe(at(instant));
    });
  });

  describe('for a skipped local time adds the gap', () => {
    test.each([
      ['Europe/Berlin', '2024-03-31T02:30', '2024-03-31T03:30'],
      ['Pacific/Apia', '2011-12-30T12:00', '2011-12-31T12:00'],
      ['America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T01:00'],
    ])('in %s, %s becomes %s', (zone, skipped, shown) => {
      const instant = instantOf(zone, local(skipped));
      expect(instant + offsetAt(zone, instant)).toBe(local(shown));
    });
  });

  describe('for a local time that occurs twice takes the first', () => {
    test.each([
      ['Europe/Berlin', '2024-10-27T02:30', '2024-10-27T00:30Z', HOUR],
      ['Australia/Lord_Howe', '2024-04-07T01:45', '2024-04-06T14:45Z', HOUR / 2],
      ['America/St_Johns', '2010-11-07T00:00', '2010-11-07T02:30Z', HOUR],
    ])('in %s, %s is %s', (zone, time, instant, again) => {
      expect(instantOf(zone, local(time))).toBe(at(instant));
      expect(at(instant) + again + offsetAt(zone, at(instant) + again)).toBe(local(time));
    });
  });

  test('is the inverse of offsetAt, except for a repeated time', () => {
    fc.assert(
      fc.property(zoneAndInstant(Date.UTC(1900, 0, 1), Date.UTC(2100, 0, 1)), ({ zone, instant }) => {
        const shown = instant + offsetAt(zone, instant);
        const back = instantOf(zone, shown);
        expect(back).toBeLessThanOrEqual(instant);
        expect(back + offsetAt(zone, back)).toBe(shown);
      }),
      { numRuns: 1000 },
    );
  });

  // No zone has changed its clocks twice within two days. This test would find a zone that does.
  test("equals Temporal's instant in every zone, even in gaps and overlaps", () => {
    fc.assert(
      fc.property(
        zoneAndInstant(Date.UTC(1900, 0, 1), Date.UTC(2100, 0, 1)),
        fc.integer({ min: -15 * HOUR, max: DAY }),
        ({ zone, instant }, away) => {
          const time = instant + away;
          expect(instantOf(zone, time)).toBe(compatibleInstant(zone, time));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
