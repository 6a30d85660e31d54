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

/** A format takes tens of kilobytes. */
const MAX_FORMATS = 64;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** Milliseconds ahead of UTC. */
export function offsetAt(zone: string, instant: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatFor(zone).formatToParts(instant)) parts[type] = value;
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
  const local = new Date(0);
  local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  const wholeSeconds = Math.floor(instant / 1000) * 1000;
  return local.getTime() - wholeSeconds;
}

/** Of two instants the first; a skipped time is moved on by the gap (`compatible` in ECMA-402's Temporal). */
export function instantOf(zone: string, local: number): number {
  const DAY = 24 * 60 * 60 * 1000;
  const before = offsetAt(zone, local - DAY);
  const after = offsetAt(zone, local + DAY);
  const early = local - before;
  if (offsetAt(zone, early) === before) return early;
  const late = local - after;
  return offsetAt(zone, late) === after ? late : early;
}

/** RFC 3339 with the zone's offset, to the second. */
export function instantText(instant: number, zone: string): string {
  const minutes = Math.round(offsetAt(zone, instant) / 60_000);
  const local = new Date(instant + minutes * 60_000).toISOString().slice(0, 19);
  const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${twoDigits(ahead / 60)}:${twoDigits(ahead % 60)}`;
}
