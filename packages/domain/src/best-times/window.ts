import type { TimeWindow } from './best-times-repository.ts';

const DEFAULT_DAYS = 90;
const DAY = 24 * 60 * 60 * 1000;

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
