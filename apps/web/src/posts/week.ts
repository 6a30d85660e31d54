import { dateFieldOf } from '../ui/zoned-time.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Days ahead; the service suggests no later times. */
const MOST_AHEAD = 60;

/** The days of the week in which a date is, from Monday, as `2026-11-23`. */
export function weekOf(date: string): readonly string[] {
  const sinceMonday = (new Date(date).getUTCDay() + 6) % 7;
  return Array.from({ length: 7 }, (_, day) => addDays(date, day - sinceMonday));
}

/** The first and the last of a week's days for which the service suggests times; null if there are none. */
export function suggestedDays(week: readonly string[], now: number, timeZone: string) {
  const dateAt = (time: number): string => dateFieldOf(new Date(time).toISOString(), timeZone);
  const [today, latest] = [dateAt(now), dateAt(now + MOST_AHEAD * DAY)];
  const days = week.filter((day) => day >= today && day <= latest);
  const [from, to] = [days[0], days.at(-1)];
  return from !== undefined && to !== undefined ? { from, to } : null;
}

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
