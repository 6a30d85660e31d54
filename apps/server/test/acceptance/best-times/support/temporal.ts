/** The parts of ECMAScript's Temporal that the oracle uses. Bun has them, but TypeScript's library doesn't yet. */
interface ZonedDateTime {
  readonly epochMilliseconds: number;
  /** The day of the week, in which 1 is Monday and 7 is Sunday. */
  readonly dayOfWeek: number;
  readonly hour: number;
  getTimeZoneTransition(direction: 'next' | 'previous'): ZonedDateTime | null;
  toPlainDate(): { toString(): string };
  toPlainDateTime(): { toString(options?: { smallestUnit: 'second' }): string };
}

interface Temporal {
  readonly Instant: { fromEpochMilliseconds(instant: number): { toZonedDateTimeISO(zone: string): ZonedDateTime } };
  readonly PlainDateTime: { from(text: string): { toZonedDateTime(zone: string): ZonedDateTime } };
}

const { Temporal } = globalThis as unknown as { readonly Temporal: Temporal };

/** The local time in a zone at an instant. */
export interface LocalTime {
  /** The date as `Y-m-d`. */
  readonly date: string;
  /** The day of the week, in which 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
}

const zoned = (zone: string, instant: number) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);

export function localTime(zone: string, instant: number): LocalTime {
  const local = zoned(zone, instant);
  return { date: local.toPlainDate().toString(), weekday: local.dayOfWeek % 7, hour: local.hour };
}

/** The local time `Y-m-d H:i:s` in the zone at an instant. */
export const localDateTime = (zone: string, instant: number): string =>
  zoned(zone, instant).toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ');

/** The instant of a local time `Y-m-d H:i:s` in the zone. */
export const instantOf = (zone: string, local: string): number =>
  Temporal.PlainDateTime.from(local.replace(' ', 'T')).toZonedDateTime(zone).epochMilliseconds;

/** The instants at which the zone's clocks change, between the two given instants. */
export function clockChanges(zone: string, from: number, to: number): number[] {
  const changes: number[] = [];
  let change = zoned(zone, from).getTimeZoneTransition('next');
  while (change !== null && change.epochMilliseconds < to) {
    changes.push(change.epochMilliseconds);
    change = change.getTimeZoneTransition('next');
  }
  return changes;
}
