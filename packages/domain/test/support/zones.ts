import fc from 'fast-check';
import { zoned } from './temporal.ts';

export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;

const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));

/**
 * Generates a zone and an instant in it. About half of the instants are within two days of a change of the zone's
 * clocks.
 */
export const zoneAndInstant = (since: number, until: number): fc.Arbitrary<{ zone: string; instant: number }> =>
  fc
    .record({
      zone: anyZone,
      anywhere: fc.integer({ min: since, max: until }),
      atChange: fc.boolean(),
      away: fc.oneof(fc.constantFrom(-1, 0, 1, -HOUR, HOUR), fc.integer({ min: -2 * DAY, max: 2 * DAY })),
    })
    .map(({ zone, anywhere, atChange, away }) => {
      const change = atChange ? zoned(zone, anywhere).getTimeZoneTransition('next') : null;
      const instant = change && change.epochMilliseconds < until ? change.epochMilliseconds + away : anywhere;
      return { zone, instant };
    });
