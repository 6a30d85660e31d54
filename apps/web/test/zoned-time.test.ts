import { describe, expect, test } from 'bun:test';
import { instantOf as expected, offsetAt } from '../../../packages/domain/src/dates/time-zone.ts';
import { instantOf } from '../src/ui/zoned-time.ts';

const HOUR = 60 * 60_000;

/**
 * Zones, each with a year: some whose clocks change by an hour, half an hour or a whole day, one with its standard time
 * in summer, and one without changes in the year.
 */
const ZONES = [
  ['Europe/Berlin', 2027],
  ['America/New_York', 2027],
  ['Australia/Sydney', 2027],
  ['Australia/Lord_Howe', 2027],
  ['Europe/Dublin', 2027],
  ['Pacific/Apia', 2011],
  ['Asia/Kathmandu', 1986],
] as const;

/** Returns the instants after which the offset changes. */
const changesIn = (zone: string, year: number): readonly number[] =>
  Array.from({ length: 366 * 24 }, (_, hour) => Date.UTC(year, 0, 1) + hour * HOUR).filter(
    (at) => offsetAt(zone, at) !== offsetAt(zone, at + HOUR),
  );

describe('the instant of a local time', () => {
  test.each(ZONES)('is the same as in the service in %s, three days around each clock change of %d', (zone, year) => {
    for (const change of [...changesIn(zone, year), Date.UTC(year, 6, 1)]) {
      for (let minutes = -72 * 60; minutes <= 72 * 60; minutes += 30) {
        const local = Math.floor(change / HOUR) * HOUR + minutes * 60_000;
        const text = new Date(local).toISOString().slice(0, 16);
        expect(`${text} ${instantOf(text, zone)}`).toBe(`${text} ${new Date(expected(zone, local)).toISOString()}`);
      }
    }
  });

  test.each([
    ['2027-03-28T02:30', '2027-03-28T01:30:00.000Z'],
    ['2027-03-28T12:00', '2027-03-28T10:00:00.000Z'],
    ['2027-03-29T00:30', '2027-03-28T22:30:00.000Z'],
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:30:59', '2026-10-25T02:30:59.000Z'],
  ])('is right around clock changes in Berlin: %s is %s', (local, instant) => {
    expect(instantOf(local, 'Europe/Berlin')).toBe(instant);
  });
});
