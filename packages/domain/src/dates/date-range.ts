import { instantOf, offsetAt } from './time-zone.ts';

/** A period, both ends included, in milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
/** Accepts `Y-m-d H:i:s`, RFC 3339 and the usual forms of ISO 8601; seconds, fraction and offset are optional. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

const DAY = 24 * 60 * 60 * 1000;

/**
 * Reads one end of a range (docs/api.md, "Dates").
 *
 * @param zone applies to dates, and to times without an offset
 * @returns milliseconds; null for text in any other format, and for dates that don't exist
 */
export function readRangeEnd(text: string, end: 'from' | 'to', zone: string): number | null {
  const date = DATE.exec(text);
  if (!date) return readInstant(text, zone);
  const day = localTime(date);
  if (day === null) return null;
  return end === 'from' ? instantOf(zone, day) : lastOf(zone, day);
}

/** Reads a date with a time as {@link readRangeEnd} does. Fractions smaller than a millisecond are cut off. */
export function readInstant(text: string, zone: string): number | null {
  const match = DATE_TIME.exec(text);
  const local = match && localTime(match);
  if (!match || local === null) return null;
  const [fraction = '', offset] = match.slice(7);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return (offset === undefined ? instantOf(zone, local) : local - readOffset(offset)) + milliseconds;
}

/** Whether the text has an offset, and so denotes the same instant in every time zone. */
export const hasOffset = (text: string): boolean => DATE_TIME.exec(text)?.[8] !== undefined;

/** Returns an offset in milliseconds ahead of UTC. */
function readOffset(offset: string): number {
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  if (offset.length === 1) return 0;
  const ahead = (hours * 60 + minutes) * 60_000;
  return offset.startsWith('-') ? -ahead : ahead;
}

/**
 * Returns the last millisecond of a local day. If clocks are set back across midnight, the day ends twice, and the
 * second end counts.
 */
function lastOf(zone: string, day: number): number {
  const midnight = day + DAY;
  const first = instantOf(zone, midnight) - 1;
  const again = midnight - offsetAt(zone, midnight + DAY) - 1;
  const comesAgain = again > first && again + offsetAt(zone, again) < midnight;
  return comesAgain ? again : first;
}

/** Returns the local time as if it were UTC, or null if it doesn't exist. */
function localTime(match: RegExpExecArray): number | null {
  const numbers = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  const real = local.getUTCFullYear() === year && local.getUTCMonth() === month - 1 && local.getUTCDate() === day;
  if (!real) return null;
  return local.setUTCHours(hour, minute, second);
}

const DEFAULT_DAYS = 90;

/** The years 0000 to 9999, which RFC 3339 can represent. */
const EARLIEST = -62_167_219_200_000;
const LATEST = 253_402_300_799_999;

const clamp = (instant: number): number => Math.min(Math.max(instant, EARLIEST), LATEST);

/** Returns the window with its defaults filled in; null if it ends before it begins. */
export function timeWindow(range: Partial<TimeWindow>, now: number): TimeWindow | null {
  const to = range.to ?? now;
  const from = range.from ?? to - DEFAULT_DAYS * DAY;
  return from <= to ? { from: clamp(from), to: clamp(to) } : null;
}
