import { dateFieldOf } from '../../ui/zoned-time.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Number of recent days with their own headings; earlier media are grouped by month. */
const RECENT_DAYS = 7;

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/**
 * Returns the heading for media added or changed at a time: `Today`, `Yesterday`, `Friday 27 November` or `October
 * 2026`.
 *
 * @param today as `2026-11-29`
 */
export function dateSection(instant: string, today: string, timeZone: string): string {
  const date = dateFieldOf(instant, timeZone);
  const day = new Date(date);
  const ago = Math.round((Date.parse(today) - day.getTime()) / DAY);
  if (ago === 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  return ago > 1 && ago < RECENT_DAYS ? weekday.format(day).replace(',', '') : month.format(day);
}
