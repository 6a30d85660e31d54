import type { TimeWindow } from './best-times-repository.ts';
import { instantOf, offsetAt } from './time-zone.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$/;

const DAY = 24 * 60 * 60 * 1000;

/**
 * Parses one end of a `from`/`to` range to an instant in milliseconds. `Y-m-d` means the whole day in the zone: its
 * first millisecond as `from`, its last as `to`; `Y-m-d H:i:s` is a local time in the zone; RFC 3339 has its own offset
 * (docs/api.md, "Dates in queries"). null for any other text and for dates that don't exist.
 */
export function readRangeEnd(text: string, end: 'from' | 'to', zone: string): number | null {
  const date = DATE.exec(text);
  if (date) {
    const day = localTime(date);
    if (day === null) return null;
    return end === 'from' ? instantOf(zone, day) : lastOf(zone, day);
  }
  const dateTime = DATE_TIME.exec(text);
  if (dateTime) {
    const local = localTime(dateTime);
    return local === null ? null : instantOf(zone, local);
  }
  return readInstant(text);
}

/**
 * Parses an RFC 3339 date and time to an instant in milliseconds, with smaller fractions cut off; null for any other
 * text.
 */
export function readInstant(text: string): number | null {
  const instant = RFC_3339.exec(text);
  if (!instant || localTime(instant) === null) return null;
  const parsed = Date.parse(text.replace(/[t ]/, 'T').toUpperCase());
  return Number.isNaN(parsed) ? null : parsed;
}

/**
 * The last millisecond of a local day. If clocks are set back across midnight (Newfoundland until 2011, at 00:01), the
 * day ends when they reach midnight for the second time.
 */
function lastOf(zone: string, day: number): number {
  const midnight = day + DAY;
  const first = instantOf(zone, midnight) - 1;
  const again = midnight - offsetAt(zone, midnight + DAY) - 1;
  const comesAgain = again > first && again + offsetAt(zone, again) < midnight;
  return comesAgain ? again : first;
}

/** The matched local time as if it were UTC; null if there is no such date or time. */
function localTime(match: RegExpExecArray): number | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return null;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  const real = local.getUTCFullYear() === year && local.getUTCMonth() === month - 1 && local.getUTCDate() === day;
  if (!real) return null;
  return local.setUTCHours(hour, minute, second);
}

const DEFAULT_DAYS = 90;

/** The years that RFC 3339 can write, 0000 to 9999, in UTC. */
const EARLIEST = -62_167_219_200_000;
const LATEST = 253_402_300_799_999;

const clamp = (instant: number): number => Math.min(Math.max(instant, EARLIEST), LATEST);

/**
 * The window from which best times are computed, both ends included. By default it ends now and is 90 days long
 * (docs/api.md, "Best times"). null if it ends before it begins.
 */
export function timeWindow(range: Partial<TimeWindow>, now: number): TimeWindow | null {
  const to = range.to ?? now;
  const from = range.from ?? to - DEFAULT_DAYS * DAY;
  return from <= to ? { from: clamp(from), to: clamp(to) } : null;
}
