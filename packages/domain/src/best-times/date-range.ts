import type { TimeWindow } from './best-times-repository.ts';
import { instantOf, offsetAt } from './time-zone.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$/;

const DAY = 24 * 60 * 60 * 1000;

/**
 * One end of a `from`/`to` range as an instant, in milliseconds: `Y-m-d` stands for the whole day in the zone, so
 * its first millisecond as `from` and its last as `to`; `Y-m-d H:i:s` is a local time of the zone; RFC 3339 carries
 * its own offset (docs/api.md, "Dates in queries"). null for any other text and for dates that no calendar has.
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

/** An RFC 3339 date and time as an instant, in milliseconds, what is finer cut off; null for any other text. */
export function readInstant(text: string): number | null {
  const instant = RFC_3339.exec(text);
  if (!instant || localTime(instant) === null) return null;
  const parsed = Date.parse(text.replace(/[t ]/, 'T').toUpperCase());
  return Number.isNaN(parsed) ? null : parsed;
}

/**
 * The last millisecond of a local day. Where clocks that have passed midnight go back over it (Newfoundland until
 * 2011, at 00:01), the day ends when they reach it again.
 */
function lastOf(zone: string, day: number): number {
  const midnight = day + DAY;
  const first = instantOf(zone, midnight) - 1;
  const again = midnight - offsetAt(zone, midnight + DAY) - 1;
  const comesAgain = again > first && again + offsetAt(zone, again) < midnight;
  return comesAgain ? again : first;
}

/** The matched local time as if it were UTC; null when the calendar or the clock has none such. */
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
 * The window that best times are read from, both ends included: until now unless `to` says else, and 90 days long unless
 * `from` says else (docs/api.md, "Best times"). null when it ends before it begins.
 */
export function timeWindow(range: Partial<TimeWindow>, now: number): TimeWindow | null {
  const to = range.to ?? now;
  const from = range.from ?? to - DEFAULT_DAYS * DAY;
  return from <= to ? { from: clamp(from), to: clamp(to) } : null;
}
