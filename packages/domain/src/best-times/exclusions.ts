import { HOURS_PER_WEEK } from '../dates/local-hours.ts';

export const MAX_EXCLUSIONS_LENGTH = 1000;

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const EXCLUSION = /^([a-z]+)?\s*(?:(\d{1,2})(?:-(\d{1,2}))?)?$/i;

/**
 * Reads the hours of the week in which nothing is suggested: `Sunday`, `Mon 0-6`, `22-5`, separated by commas. Both
 * hours of a range are included; a range that crosses midnight continues on the next day.
 *
 * @returns null if the text isn't such a list
 */
export function readExclusions(text: string): ReadonlySet<number> | null {
  if (text.length > MAX_EXCLUSIONS_LENGTH) return null;
  const excluded = new Set<number>();
  for (const part of text.split(',')) {
    const match = EXCLUSION.exec(part.trim());
    if (!match?.[0]) return null;
    const [, name, first, last = first] = match;
    const day = name === undefined ? null : dayNamed(name);
    const [from, to] = first === undefined ? [0, 23] : [Number(first), Number(last)];
    if (day === -1 || from > 23 || to > 23) return null;
    const length = to < from ? to + 24 - from : to - from;
    for (const start of day === null ? WEEKDAYS.keys() : [day]) {
      for (let hour = 0; hour <= length; hour++) excluded.add((start * 24 + from + hour) % HOURS_PER_WEEK);
    }
  }
  return excluded;
}

const dayNamed = (name: string): number =>
  WEEKDAYS.findIndex((day) => [day, day.slice(0, 3)].some((known) => known.toLowerCase() === name.toLowerCase()));
