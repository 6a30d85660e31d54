import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FIRST_PUBLISHED, HOURS_PER_WEEK, LAST_PUBLISHED, localHours } from '../../src/index.ts';
import { changesOf, localHourOfWeek } from '../support/temporal.ts';
import { DAY, HOUR, zoneAndInstant } from '../support/zones.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const shown = (hour: number): string => `${DAYS[Math.floor(hour / 24)]} ${hour % 24}`;
const at = (text: string): number => Date.parse(text);

const SINCE = FIRST_PUBLISHED;
const UNTIL = Date.UTC(2100, 0, 1);

describe('the local hour of the week', () => {
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

  test("equals Temporal's result in every zone, up to the millisecond of a clock change", () => {
    fc.assert(
      fc.property(zoneAndInstant(SINCE, UNTIL), ({ zone, instant }) => {
        expect(localHours(zone).at(instant)).toBe(localHourOfWeek(zone, instant));
      }),
      { numRuns: 2000 },
    );
  });

  test("doesn't depend on the instants that were looked up before", () => {
    fc.assert(
      fc.property(
        zoneAndInstant(SINCE, UNTIL),
        fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY }), { minLength: 2, maxLength: 20 }),
        ({ zone, instant }, distances) => {
          const hours = localHours(zone);
          for (const distance of distances) {
            const requested = instant + distance;
            expect(hours.at(requested)).toBe(localHourOfWeek(zone, requested));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('is within the week at the first and last possible times of publication', () => {
    for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'Asia/Kathmandu', 'UTC']) {
      for (const instant of [FIRST_PUBLISHED, LAST_PUBLISHED]) {
        expect(localHours(zone).at(instant)).toBeWithin(0, HOURS_PER_WEEK);
      }
    }
  });
});

describe('the stretches of a window', () => {
  const stretches = (zone: string, from: string, to: string) =>
    localHours(zone)
      .stretches({ from: at(from), to: at(to) })
      .map(({ from: start, to: end, offset }) => [
        new Date(start).toISOString(),
        new Date(end).toISOString(),
        offset / HOUR,
      ]);

  test('reach from one clock change to the millisecond before the next', () => {
    expect(stretches('Europe/Berlin', '2024-01-01T00:00:00Z', '2024-12-31T00:00:00Z')).toEqual([
      ['2024-01-01T00:00:00.000Z', '2024-03-31T00:59:59.999Z', 1],
      ['2024-03-31T01:00:00.000Z', '2024-10-27T00:59:59.999Z', 2],
      ['2024-10-27T01:00:00.000Z', '2024-12-31T00:00:00.000Z', 1],
    ]);
    expect(stretches('UTC', '1970-01-01T00:00:00Z', '2030-01-01T00:00:00Z')).toHaveLength(1);
    expect(stretches('UTC', '2024-01-01T00:00:00Z', '2023-01-01T00:00:00Z')).toEqual([]);
  });

  test('have the UTC offset of every instant within them', () => {
    fc.assert(
      fc.property(zoneAndInstant(SINCE, UNTIL), fc.integer({ min: 0, max: 400 * DAY }), ({ zone, instant }, length) => {
        const window = { from: instant, to: instant + length };
        const hours = localHours(zone);
        const found = hours.stretches(window);
        expect([found[0]?.from, found.at(-1)?.to]).toEqual([window.from, window.to]);
        for (const [index, { from, to, offset }] of found.entries()) {
          if (index > 0) expect(from).toBe((found[index - 1]?.to ?? 0) + 1);
          for (const one of [from, Math.floor((from + to) / 2), to]) expect(hours.offset(one)).toBe(offset);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('no zone changes its clocks twice within six days, so that a day has at most one change', () => {
  const changes = Intl.supportedValuesOf('timeZone').map((zone) => [...changesOf(zone, SINCE, UNTIL)]);
  const gaps = changes.flatMap((ofZone) => ofZone.slice(1).map((change, index) => change - (ofZone[index] ?? 0)));
  expect(gaps.length).toBeGreaterThan(10_000);
  expect(gaps.filter((gap) => gap < 6 * 24 * HOUR)).toEqual([]);
});
