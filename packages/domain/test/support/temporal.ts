/**
 * The part of ECMAScript's Temporal that tests need to check our own time zone arithmetic. Bun has Temporal, but
 * TypeScript's library for ES2023 does not.
 */
interface PlainDate {
  toString(): string;
}

export interface ZonedDateTime {
  readonly epochMilliseconds: number;
  readonly offsetNanoseconds: number;
  /** Counted from 1, which is Monday. */
  readonly dayOfWeek: number;
  readonly hour: number;
  getTimeZoneTransition(direction: 'next' | 'previous'): ZonedDateTime | null;
  toPlainDate(): PlainDate;
}

interface Temporal {
  readonly Instant: {
    fromEpochMilliseconds(instant: number): { toZonedDateTimeISO(zone: string): ZonedDateTime };
  };
  readonly PlainDateTime: {
    from(text: string): { toZonedDateTime(zone: string): ZonedDateTime };
  };
}

const { Temporal } = globalThis as unknown as { readonly Temporal: Temporal };

export const zoned = (zone: string, instant: number): ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);

/** Returns the instant of a local time, which is given as if it were UTC. Uses the `compatible` disambiguation. */
export const compatibleInstant = (zone: string, local: number): number =>
  Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, -1)).toZonedDateTime(zone).epochMilliseconds;

/** Returns the local date as `Y-m-d`. */
export const localDate = (zone: string, instant: number): string => zoned(zone, instant).toPlainDate().toString();

/** Returns the hour of the week that the zone's clocks show: 0 is Sunday from midnight to one. */
export function localHourOfWeek(zone: string, instant: number): number {
  const { dayOfWeek, hour } = zoned(zone, instant);
  return (dayOfWeek % 7) * 24 + hour;
}

/** Yields the instants at which a zone changed its clocks, or will change them. */
export function* changesOf(zone: string, since: number, until: number): Generator<number, void> {
  let next = zoned(zone, since).getTimeZoneTransition('next');
  while (next && next.epochMilliseconds < until) {
    yield next.epochMilliseconds;
    next = next.getTimeZoneTransition('next');
  }
}
