import { parseDateTime, toZoned } from '@internationalized/date';

const LOCALE = 'en-GB';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached format, because creating one takes longer than using it a hundred times. */
function formatOf(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${Object.values(options).join(' ')}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(LOCALE, { timeZone, ...options });
  formats.set(key, made);
  return made;
}

/** Returns the date in the zone, in the format of date fields: `2026-11-21`. */
export function dateFieldOf(instant: string, timeZone: string): string {
  const format = formatOf(timeZone, { year: 'numeric', month: '2-digit', day: '2-digit' });
  const parts = Object.fromEntries(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
  return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`;
}

/** Formats a date: `21 Nov 2026`. */
export const dayIn = (instant: string, timeZone: string): string =>
  formatOf(timeZone, { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(instant));

/** Formats a date with its weekday: `Sat 21 Nov 2026`. */
export const weekdayIn = (instant: string, timeZone: string): string =>
  formatOf(timeZone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
    .format(new Date(instant))
    .replace(',', '');

/** Formats a time of day: `18:30`. */
export const timeIn = (instant: string, timeZone: string): string =>
  formatOf(timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(instant));

/** Returns the time in the zone, in the format of date and time fields: `2026-11-21T18:30`. */
export const timeFieldOf = (instant: string, timeZone: string): string =>
  `${dateFieldOf(instant, timeZone)}T${timeIn(instant, timeZone)}`;

/**
 * Converts a local time such as `2026-11-21T18:30` to UTC. If the time occurs twice, the first occurrence is used. If
 * it is skipped, it is moved forward by the gap.
 */
export const instantOf = (local: string, timeZone: string): string =>
  toZoned(parseDateTime(local), timeZone, 'compatible').toAbsoluteString();
