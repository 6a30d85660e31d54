import { dateFieldOf, instantOf, timeIn } from '../../ui/zoned-time.ts';

const DAY = 24 * 60 * 60 * 1000;

/** How many days ahead the service suggests times. */
const MAX_AHEAD = 60;

/** Returns the days of a date's week, from Monday, as `2026-11-23`. */
export function weekOf(date: string): readonly string[] {
  const sinceMonday = (new Date(date).getUTCDay() + 6) % 7;
  return Array.from({ length: 7 }, (_, day) => addDays(date, day - sinceMonday));
}

/** Returns the days of all weeks that overlap a date's month: four to six weeks, from Monday. */
export function monthOf(date: string): readonly string[] {
  const first = `${date.slice(0, 7)}-01`;
  const last = addDays(addMonths(first, 1), -1);
  const [from = first, to = last] = [weekOf(first)[0], weekOf(last).at(-1)];
  return Array.from({ length: Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1 }, (_, day) =>
    addDays(from, day),
  );
}

/** Returns the first and the last of these days for which the service suggests times; null if there are none. */
export function suggestedDays(days: readonly string[], now: number, timeZone: string) {
  const dateAt = (time: number): string => dateFieldOf(new Date(time).toISOString(), timeZone);
  const [today, latest] = [dateAt(now), dateAt(now + MAX_AHEAD * DAY)];
  const open = days.filter((day) => day >= today && day <= latest);
  const [from, to] = [open[0], open.at(-1)];
  return from !== undefined && to !== undefined ? { from, to } : null;
}

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

/** Returns the instant on a day that has the same time of day in the zone as another instant. */
export const onDay = (instant: string, day: string, timeZone: string): string =>
  instantOf(`${day}T${timeIn(instant, timeZone)}`, timeZone);

/** Returns the instant with the same time of day in the zone, a number of days later. */
export const daysLater = (instant: string, days: number, timeZone: string): string =>
  onDay(instant, addDays(dateFieldOf(instant, timeZone), days), timeZone);

/** Returns the first day of a later or earlier month. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}
