import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FIRST_PUBLISHED, HOURS_PER_WEEK, LAST_PUBLISHED, localHours, QUARTER, quarterOf } from '../../src/index.ts';
import { changesOf, localHourOfWeek, zoned } from '../support/temporal.ts';
import { DAY, HOUR, zoneAndInstant } from '../support/zones.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const shown = (hour: number | null): string | null =>
  hour === null ? null : `${DAYS[Math.floor(hour / 24)]} ${hour % 24}`;
const at = (text: string): number => Date.parse(text);

const SINCE = FIRST_PUBLISHED;
const UNTIL = Date.UTC(2100, 0, 1);

describe('the hour of the week by the clocks', () => {
  test.each([
    ['UTC', '1970-01-01T00:00:00Z', 'Thursday 0'],
    ['UTC', '2026-02-28T23:59:59.999Z', 'Saturday 23'],
    ['Pacific/Kiritimati', '9999-12-31T23:59:59.999Z', 'Saturday 13'],
    ['Europe/Berlin', '2024-03-31T00:59:59.999Z', 'Sunday 1'],
    ['Europe/Berlin', '2024-03-31T01:00:00Z', 'Sunday 3'],
    ['Europe/Berlin', '2024-10-27T01:59:59.999Z', 'Sunday 2'],
    ['Europe/Berlin', '2024-10-27T02:00:00Z', 'Sunday 3'],
    ['Australia/Lord_Howe', '2024-10-05T15:30:00Z', 'Sunday 2'],
    ['Asia/Kathmandu', '2024-06-01T18:15:00Z', 'Sunday 0'],
    ['Antarctica/Troll', '2024-03-31T01:00:00Z', 'Sunday 3'],
    ['America/St_Johns', '2010-11-07T02:31:00Z', 'Saturday 23'],
    ['America/St_Johns', '2010-11-07T03:30:00Z', 'Sunday 0'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', 'Saturday 0'],
    ['Africa/Monrovia', '1971-06-01T00:44:30Z', 'Tuesday 0'],
  ])('in %s at %s is %s', (zone, instant, hour) => {
    expect(shown(localHours(zone).at(at(instant)))).toBe(hour);
  });

  test("equals Temporal's, in every zone, to the millisecond of a change", () => {
    fc.assert(
      fc.property(zoneAndInstant(SINCE, UNTIL), ({ zone, instant }) => {
        expect(localHours(zone).at(instant)).toBe(localHourOfWeek(zone, instant));
      }),
      { numRuns: 2000 },
    );
  });

  test('whatever instants were read before', () => {
    fc.assert(
      fc.property(
        zoneAndInstant(SINCE, UNTIL),
        fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY }), { minLength: 2, maxLength: 20 }),
        ({ zone, instant }, distances) => {
          const hours = localHours(zone);
          for (const distance of distances) {
            const requested = instant + distance;
            expect(hours.at(requested)).toBe(localHourOfWeek(zone, requested));
            expect(hours.ofQuarter(quarterOf(requested))).toBe(localHours(zone).ofQuarter(quarterOf(requested)));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('is within the week at the first and the last possible time', () => {
    for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'Asia/Kathmandu', 'UTC']) {
      for (const instant of [FIRST_PUBLISHED, LAST_PUBLISHED]) {
        expect(localHours(zone).at(instant)).toBeWithin(0, HOURS_PER_WEEK);
      }
    }
  });
});

describe('the hour of a whole quarter', () => {
  test.each([
    ['Asia/Kathmandu', '2024-06-01T18:00:00Z', 'Saturday 23'],
    ['Asia/Kathmandu', '2024-06-01T18:15:00Z', 'Sunday 0'],
    ['Europe/Berlin', '2024-03-31T01:00:00Z', 'Sunday 3'],
    ['America/St_Johns', '2010-03-14T03:30:00Z', null],
    ['America/St_Johns', '2010-03-14T03:45:00Z', 'Sunday 1'],
    ['Africa/Monrovia', '1972-01-07T00:30:00Z', null],
  ])('in %s at %s is %p', (zone, start, hour) => {
    expect(shown(localHours(zone).ofQuarter(quarterOf(at(start))))).toBe(hour);
  });

  const MINUTE = 60 * 1000;
  const instantsOf = (quarter: number): number[] =>
    Array.from({ length: 15 }, (_, minute) => quarter * QUARTER + minute * MINUTE).flatMap((start) => [
      start,
      start + MINUTE - 1,
    ]);

  /** The hour that it has at every instant, and none only where the clocks leave none. */
  function expectHourOf(zone: string, quarter: number): void {
    const hour = localHours(zone).ofQuarter(quarter);
    const instants = instantsOf(quarter);
    const offsets = instants.map((instant) => zoned(zone, instant).offsetNanoseconds / 1e6);
    const isChanged = new Set(offsets).size > 1;
    const isOdd = offsets.some((offset) => offset % QUARTER !== 0);
    expect(hour === null).toBe(isChanged || isOdd);
    const shownHours = new Set(instants.map((instant) => localHourOfWeek(zone, instant)));
    if (hour !== null) expect(shownHours).toEqual(new Set([hour]));
  }

  test('is that of every instant in it, and null only if a change of clocks leaves none', () => {
    fc.assert(
      fc.property(zoneAndInstant(SINCE, UNTIL), fc.integer({ min: -1, max: 1 }), ({ zone, instant }, away) => {
        expectHourOf(zone, Math.max(0, quarterOf(instant) + away));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    'Africa/Monrovia',
    'America/Moncton',
    'America/St_Johns',
    'Antarctica/Casey',
    'Antarctica/Troll',
    'Asia/Gaza',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Pacific/Chatham',
  ])('at every change of the clocks in %s', (zone) => {
    for (const change of changesOf(zone, SINCE, UNTIL)) {
      for (const away of [-1, 0, 1]) expectHourOf(zone, quarterOf(change) + away);
    }
  });
});

test('no zone changes its clocks twice within six days, so that a day has one change at most', () => {
  const changes = Intl.supportedValuesOf('timeZone').map((zone) => [...changesOf(zone, SINCE, UNTIL)]);
  const gaps = changes.flatMap((ofZone) => ofZone.slice(1).map((change, index) => change - (ofZone[index] ?? 0)));
  expect(gaps.length).toBeGreaterThan(10_000);
  expect(gaps.filter((gap) => gap < 6 * 24 * HOUR)).toEqual([]);
});
