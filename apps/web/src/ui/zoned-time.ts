import { parseDateTime, toZoned } from '@internationalized/date';

const LOCALE = 'en-GB';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached, as creating a format takes longer than using it a hundred times. */
function formatOf(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${Object.values(options).join(' ')}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(LOCALE, { timeZone, ...options });
  formats.set(key, made);
  return made;
}

/** `2026-11-21`, as date fields need it: the date in the zone. */
export function dateFieldOf(instant: string, timeZone: string): string {
  const format = formatOf(timeZone, { year: 'numeric', month: '2-digit', day: '2-digit' });
  const parts = Object.fromEntries(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
  return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`;
}

/** `21 Nov 2026`. */
export const dayIn = (instant: string, timeZone: string): string =>
  formatOf(timeZone, { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(instant));

/** `Sat 21 Nov 2026`. */
export const weekdayIn = (instant: string, timeZone: string): string =>
  formatOf(timeZone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
    .format(new Date(instant))
    .replace(',', '');

/** `18:30`. */
export const timeIn = (instant: string, timeZone: string): string =>
  formatOf(timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(instant));

/** `2026-11-21T18:30`, as fields of date and time need it. */
export const timeFieldOf = (instant: string, timeZone: string): string =>
  `${dateFieldOf(instant, timeZone)}T${timeIn(instant, timeZone)}`;

/** The instant in UTC of a local time such as `2026-11-21T18:30`: of two the first, and a skipped time is moved on by the gap. */
export const instantOf = (local: string, timeZone: string): string =>
  toZoned(parseDateTime(local), timeZone, 'compatible').toAbsoluteString();
