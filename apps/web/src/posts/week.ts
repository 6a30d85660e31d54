const DAY = 24 * 60 * 60 * 1000;

/** The days of the week in which a date is, from Monday, as `2026-11-23`. */
export function weekOf(date: string): readonly string[] {
  const sinceMonday = (new Date(date).getUTCDay() + 6) % 7;
  return Array.from({ length: 7 }, (_, day) => addDays(date, day - sinceMonday));
}

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
