import { instantOf } from '../../ui/zoned-time.ts';
import { CLOCK_TOKEN, dateWords, MAX_WORDS, tokensOf, withPlainNumbers } from './date-words.ts';
import { type DateOrder, type DateReading, ownWords, readDate } from './read-date.ts';

export interface TimeReading extends DateReading {
  readonly timeZone: string;
}

const CLOCK = /(?<![\d:.])(\d{1,2})(?::|\s?h\s?)(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?![\d:])/i;
const EASTERN_CLOCK = /(\d{1,2})\s?[時时點点시]\s?(\d{1,2})\s?[分분](?:\s?(\d{1,2})\s?[秒초])?/;
/**
 * A time written with a dot, as in Finnish and Danish. It has to follow a year, because dates are also written with
 * dots.
 */
const DOTTED_CLOCK = /(?<=\d{4}.*\s)(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?=\D*$)/;
/**
 * An offset at the end of a text. The name of a zone may follow a number: "+0000 UTC", "GMT+0100 (CET)". The year may
 * come last, as in times from X's API: "Wed Oct 10 20:19:24 +0000 2018".
 */
const OFFSET =
  /^(\D*?)\s*\(?(z|utc|gmt|(?:utc|gmt)?\s?[+-]\d{1,2}(?::?\d{2})?)(?:(?<=\d)\)?\s(?:[a-z]{2,5}|\([^()\d]+))?\)?(\s\d{4})?$/i;

/** Longer texts aren't times, and searching them for one would take seconds in a column of captions. */
const LONGEST = 100;

type Half = 'am' | 'pm' | null;

interface Clock {
  readonly hour: number;
  readonly minute: string;
  readonly second: string;
  readonly offset: string | null;
  /** The text with {@link CLOCK_TOKEN} in place of the time. */
  readonly rest: string;
}

/**
 * Parses a time. Returns an RFC 3339 time in UTC, or a sentence that says why the text isn't a time. A date without
 * a time means midnight.
 */
export function readTime(
  text: string,
  reading: TimeReading,
  languages: readonly string[] = navigator.languages ?? [],
): { readonly instant: string } | { readonly problem: string } {
  const quoted = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const refused = (why = '') => ({ problem: `“${quoted}” can’t be read as a time${why}.` });
  const plain = plainOf(text);
  const clock = clockIn(plain);
  const { half, tokens } = halfIn(tokensOf(clock?.rest ?? plain), languages);
  const read = readDate(tokens, reading, languages);
  if ('problem' in read) return refused(read.problem);
  const hour = clock ? hourOf(clock.hour, half) : 0;
  if (hour === null) return refused();
  const { minute = '00', second = '00', offset = null } = clock ?? {};
  const instant = instantIn(
    `${read.date}T${String(hour).padStart(2, '0')}:${minute}:${second}`,
    offset,
    reading.timeZone,
  );
  return instant === null ? refused() : { instant };
}

/**
 * Returns a text with simple spaces and digits, and without invisible characters; an empty one for a text that is too
 * long.
 */
const plainOf = (text: string): string =>
  text.length > LONGEST
    ? ''
    : withPlainNumbers(text.normalize('NFKC'))
        .replace(/\p{Cf}/gu, '')
        .replace(/\s+/g, ' ')
        .trim();

function clockIn(text: string): Clock | null {
  const found = CLOCK.exec(text) ?? EASTERN_CLOCK.exec(text) ?? DOTTED_CLOCK.exec(text);
  if (!found) return null;
  const [whole, hour = '', minute = '', second = '00'] = found;
  const behind = text.slice(found.index + whole.length);
  const [, words = behind, offset, year = ''] = OFFSET.exec(behind) ?? [];
  return {
    hour: Number(hour),
    minute: minute.padStart(2, '0'),
    second: second.padStart(2, '0'),
    offset: offset === undefined ? null : offsetOf(offset),
    rest: `${text.slice(0, found.index)} ${CLOCK_TOKEN} ${words}${year}`,
  };
}

/** Returns the UTC offset in the format of ECMAScript dates. */
function offsetOf(text: string): string {
  const [, sign, hours = '', minutes = '00'] = /([+-])(\d{1,2}?):?(\d{2})?$/.exec(text) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

function hourOf(hour: number, half: Half): number | null {
  if (half === null) return hour > 23 ? null : hour;
  return hour > 12 ? null : (hour % 12) + (half === 'pm' ? 12 : 0);
}

function instantIn(local: string, offset: string | null, timeZone: string): string | null {
  const parsed = Date.parse(`${local}${offset ?? 'Z'}`);
  if (Number.isNaN(parsed)) return null;
  return offset === null ? instantOf(local, timeZone) : new Date(parsed).toISOString();
}

/**
 * Finds the word for AM or PM next to the time of day. Returns its meaning, and the tokens without the word and the
 * time.
 */
function halfIn(all: readonly string[], languages: readonly string[]): { half: Half; tokens: readonly string[] } {
  const at = all.indexOf(CLOCK_TOKEN);
  if (at < 0) return { half: null, tokens: all };
  const without = (start: number, length: number) =>
    all.filter((_, nth) => nth !== at && (nth < start || nth >= start + length));
  const isWord = (token: string): boolean => token !== CLOCK_TOKEN && !/^\d/.test(token);
  // No language is tried if there is no word next to the time of day.
  const asked = [all[at - 1], all[at + 1]].some((token) => token !== undefined && isWord(token));
  for (const { halves, others } of asked ? [ownWords(languages), dateWords()] : [])
    for (let length = MAX_WORDS; length > 0; length -= 1)
      for (const start of [at + 1, others.has(all[at + 1] ?? '') ? at + 2 : at + 1, at - length]) {
        const half = halves.get(all.slice(Math.max(start, 0), start + length).join(' '));
        if (half !== undefined) return { half, tokens: without(start, length) };
      }
  return { half: null, tokens: without(at, 1) };
}

/** Whether a column has times of day. */
export const hasTimeOfDay = (texts: readonly string[]): boolean =>
  texts.some((text) => clockIn(plainOf(text)) !== null);

/** Whether a text is a time of day without a date, such as "18:30", "6:30 PM" or "18.30 Uhr". */
export function isTimeOfDay(text: string): boolean {
  // Times with dots are known only behind a year.
  const year = '2000';
  const clock = clockIn(`${year} ${plainOf(text)}`);
  return clock !== null && !/\d/.test(clock.rest.slice(year.length));
}

/** Returns the three numbers of a date that has no words and ends with the year, which may have two digits. */
function orderedNumbers(text: string): readonly [number, number, number] | null {
  const plain = plainOf(text);
  const date = (clockIn(plain)?.rest ?? plain).replace(CLOCK_TOKEN, '').trim();
  const [, one, two, year] = /^(\d{1,2})\s?[/.-]\s?(\d{1,2})\s?[/.-]\s?(\d{4}|\d{2})(?!\d)/.exec(date) ?? [];
  return year === undefined ? null : [Number(one), Number(two), Number(year)];
}

/** The first plausible year of two digits; YouTube, the oldest network with exports, is from 2005. */
const FIRST_SHORT_YEAR = 5;

/**
 * Whether the dates of a column end with a year of two digits, as spreadsheets on a Mac write them. They do if all of
 * their last numbers can be years, and if not all of them can begin with a year and a month.
 *
 * @param exportedAt when the file was written, in milliseconds since 1970
 */
export function endWithShortYears(texts: readonly string[], exportedAt: number): boolean {
  const dates = texts
    .map(orderedNumbers)
    .filter((date) => date !== null)
    .filter(([, , year]) => year < 100);
  const lastYear = (new Date(exportedAt).getUTCFullYear() % 100) + 1;
  const isYear = (number: number): boolean => number >= FIRST_SHORT_YEAR && number <= lastYear;
  return dates.every(([, , last]) => isYear(last)) && dates.some(([one, two]) => !isYear(one) || two > 12);
}

/** Whether a column has dates that may begin with either the month or the day. */
export const hasOrder = (texts: readonly string[]): boolean => texts.some((text) => orderedNumbers(text) !== null);

/**
 * Guesses the order of day and month from the first unambiguous date. If there is none, tries both orders, and uses the
 * one with which the dates are sorted, because exports are sorted by time. If the dates are sorted with both orders or
 * with neither, dates with dots begin with the day, and all others with the month.
 */
export function guessOrder(texts: readonly string[]): DateOrder {
  const dates = texts.map(orderedNumbers).filter((date) => date !== null);
  for (const [one, other] of dates) {
    if (one > 12) return 'day';
    if (other > 12) return 'month';
  }
  const byMonth = isSorted(dates.map(([month, day, year]) => 400 * year + 32 * month + day));
  const byDay = isSorted(dates.map(([day, month, year]) => 400 * year + 32 * month + day));
  if (byMonth !== byDay) return byDay ? 'day' : 'month';
  return texts.some((text) => /^\d{1,2}\.\s?\d/.test(text.trim())) ? 'day' : 'month';
}

const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0)) ||
  numbers.every((number, at) => at === 0 || number <= (numbers[at - 1] ?? 0));
