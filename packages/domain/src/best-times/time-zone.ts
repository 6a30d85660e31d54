/// <reference lib="esnext.temporal" />

/**
 * The name of a time zone as the zone database spells it: `europe/berlin` is `Europe/Berlin`, while an alias such as
 * `US/Pacific` stays; null if there is none. Offsets such as `+02:00` aren't names.
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

/** Milliseconds ahead of UTC. */
export const offsetAt = (zone: string, instant: number): number => zoned(zone, instant).offsetNanoseconds / 1e6;

/** When the zone's offset changes next, after the instant; null: never again. */
export function nextChange(zone: string, instant: number): number | null {
  return zoned(zone, instant).getTimeZoneTransition('next')?.epochMilliseconds ?? null;
}

/**
 * Of two instants the first; a skipped time is moved on by the gap (`compatible` in Temporal).
 *
 * @param local as if it were UTC
 */
export const instantOf = (zone: string, local: number): number =>
  zoned('UTC', local).toPlainDateTime().toZonedDateTime(zone).epochMilliseconds;

/** RFC 3339 with the zone's offset, to the second. */
export const instantText = (instant: number, zone: string): string =>
  zoned(zone, instant).toString({ smallestUnit: 'second', timeZoneName: 'never' });
