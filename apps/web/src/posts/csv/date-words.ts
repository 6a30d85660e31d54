/** The languages of the networks' pages. Exports contain the names of months and weekdays in these languages. */
const LANGUAGES =
  'af am ar az be bg bn bs ca cs cy da de de-AT el en en-AU en-CA en-GB en-IN es es-AR es-MX et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt pt-PT ro ru si sk sl sq sr sr-Latn sv sw ta te th tr uk ur uz vi zh zh-Hant zu'.split(
    ' ',
  );

/** Maximum number of words in a month's name: "meán fómhair". */
export const MAX_WORDS = 3;

/** English and German words that people and spreadsheets write in dates, but that no `Intl` format contains. */
const OTHERS = ['t', 'on', 'of', 'st', 'nd', 'rd', 'th', 'uhr'];
const GERMAN_MARCH = 'mrz';

/** The meanings of words in dates. The words of a phrase are joined by spaces. */
export interface DateWords {
  /**
   * By word, the months (numbered from 1) that it can mean, each with its languages: "listopad" is October in Croatian
   * and November in Polish.
   */
  readonly months: ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;
  /** Words next to a number that mark it as the month: 月 after it, "tháng" before it. */
  readonly marks: ReadonlyMap<string, 'before' | 'behind'>;
  readonly halves: ReadonlyMap<string, 'am' | 'pm'>;
  /** Weekdays and all other words in dates, such as "de". */
  readonly others: ReadonlySet<string>;
}

/** The token that replaces the time of day in a text. */
export const CLOCK_TOKEN = '⌚';

const TOKEN = /⌚|\d+|[\p{L}\p{M}'’׳״]+/gu;

/**
 * Splits a date into its numbers, its words and {@link CLOCK_TOKEN}. The tokens are in lower case, and contain no full
 * stops or direction marks.
 */
export const tokensOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u0307\p{Cf}]/gu, '')
    .match(TOKEN) ?? [];

/** Returns a text with the digits and the separators of European numbers in place of those of other scripts. */
export const withPlainNumbers = (text: string): string =>
  text
    .replace(/(?![0-9])\p{Nd}/gu, digitOf)
    .replaceAll('٬', ',')
    .replaceAll('٫', '.');

/** Unicode has the ten digits of each script in a row, beginning with zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

const cached = new Map<string, DateWords>();

/**
 * Returns the date words of these languages, by default of all known ones. The first call for all languages takes a few
 * tenths of a second in a browser.
 */
export function dateWords(languages: readonly string[] = LANGUAGES): DateWords {
  const key = languages.join();
  const words = cached.get(key) ?? collect(languages);
  cached.set(key, words);
  return words;
}

/** One day in each month. Together, these days cover all weekdays. */
const DAYS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 21));
const HALVES = [
  [Date.UTC(2026, 10, 21, 6, 5), 'am'],
  [Date.UTC(2026, 10, 21, 18, 5), 'pm'],
] as const;

/**
 * Formats that contain the month's name, with or without a day, because some languages use a different grammatical case
 * with a day ("marraskuu", "21. marraskuuta").
 */
const FORMS: readonly Intl.DateTimeFormatOptions[] = [
  ...(['long', 'short'] as const).flatMap((month): Intl.DateTimeFormatOptions[] => [
    { month },
    { day: 'numeric', month },
    { weekday: month, day: 'numeric', month, year: 'numeric' },
  ]),
  { dateStyle: 'full', timeStyle: 'short' },
  { dateStyle: 'long', timeStyle: 'medium' },
];

function collect(languages: readonly string[]): DateWords {
  const months = new Map<string, Map<number, string[]>>();
  const marks = new Map<string, 'before' | 'behind'>();
  const halves = new Map<string, 'am' | 'pm'>([
    ['am', 'am'],
    ['a m', 'am'],
    ['pm', 'pm'],
    ['p m', 'pm'],
  ]);
  const others = new Set<string>(OTHERS);
  add(months, GERMAN_MARCH, 3, nameOf('de'));
  for (const language of Intl.DateTimeFormat.supportedLocalesOf([...languages])) {
    for (const form of FORMS) {
      const format = formatIn(language, form);
      for (const [nth, day] of DAYS.entries()) {
        const { month, words } = monthIn(format.formatToParts(day));
        if (/\d/.test(month)) mark(month, marks);
        else add(months, month, nth + 1, nameOf(language));
        for (const word of words) others.add(word);
      }
    }
    const clock = formatIn(language, { hour: 'numeric', minute: '2-digit', hour12: true });
    for (const [time, half] of HALVES)
      for (const { type, value } of clock.formatToParts(time)) {
        if (type === 'dayPeriod') halves.set(tokensOf(value).join(' '), half);
        else for (const word of wordsOf(value)) others.add(word);
      }
  }
  return { months, marks, halves, others };
}

const formatIn = (language: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...form, timeZone: 'UTC' });

const wordsOf = (text: string): string[] => tokensOf(text).filter((token) => !/^\d/.test(token));

/**
 * Returns a date's month and its other words. The month includes letters that are joined to it, such as the Hebrew
 * prefix for "in".
 */
function monthIn(parts: readonly Intl.DateTimeFormatPart[]) {
  const at = parts.findIndex(({ type }) => type === 'month');
  const textOf = (some: readonly Intl.DateTimeFormatPart[]): string => some.map(({ value }) => value).join('');
  const [before, month, behind] = [textOf(parts.slice(0, at)), parts[at]?.value ?? '', textOf(parts.slice(at + 1))];
  const [prefix = ''] = /[\p{L}\p{M}]*$/u.exec(before) ?? [];
  const [suffix = ''] = /^[\p{L}\p{M}]*/u.exec(behind) ?? [];
  const isNumber = /\d/.test(month);
  return {
    month: tokensOf(isNumber ? month : prefix + month + suffix).join(' '),
    words: isNumber
      ? wordsOf(`${before} ${behind}`)
      : wordsOf(`${before.slice(0, before.length - prefix.length)} ${behind.slice(suffix.length)}`),
  };
}

function mark(month: string, marks: Map<string, 'before' | 'behind'>): void {
  const [, before = '', behind = ''] = /^(\D*?) ?\d+ ?(\D*)$/.exec(month) ?? [];
  if (before !== '') marks.set(before, 'before');
  if (behind !== '') marks.set(behind, 'behind');
}

function add(months: Map<string, Map<number, string[]>>, word: string, month: number, language: string): void {
  if (word === '') return;
  const known = months.get(word) ?? new Map<number, string[]>();
  const spoken = known.get(month) ?? [];
  if (!spoken.includes(language)) spoken.push(language);
  months.set(word, known.set(month, spoken));
}

const names = new Intl.DisplayNames('en', { type: 'language' });

const nameOf = (language: string): string => names.of(language.split('-', 1)[0] ?? language) ?? language;
