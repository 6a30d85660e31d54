/// <reference lib="esnext.temporal" />

/**
 * Returns the name of a time zone as the zone database spells it, or null if there is none: `europe/berlin` becomes
 * `Europe/Berlin`, while an alias such as `US/Pacific` is kept. Offsets such as `+02:00` aren't names.
 */
export function readTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

const zoned = (zone: string, instant: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);

/** Returns a zone's offset in milliseconds ahead of UTC. */
export const offsetAt = (zone: string, instant: number): number => zoned(zone, instant).offsetNanoseconds / 1e6;

/** Returns when the zone's offset changes next after an instant; null if it never does. */
export function nextChange(zone: string, instant: number): number | null {
  return zoned(zone, instant).getTimeZoneTransition('next')?.epochMilliseconds ?? null;
}

/**
 * Returns the instant of a local time: the first of two for a repeated time; a skipped time is moved forward by the gap
 * (`compatible` in Temporal).
 *
 * @param local local time as if it were UTC
 */
export const instantOf = (zone: string, local: number): number =>
  zoned('UTC', local).toPlainDateTime().toZonedDateTime(zone).epochMilliseconds;

/** Formats an instant as RFC 3339 with the zone's offset, to the second. */
export const instantText = (instant: number, zone: string): string =>
  zoned(zone, instant).toString({ smallestUnit: 'second', timeZoneName: 'never' });
