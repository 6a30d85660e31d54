/** The languages of the networks' pages, whose exports have months and weekdays in words. */
const LANGUAGES =
  'af am ar az be bg bn bs ca cs cy da de de-AT el en en-AU en-CA en-GB en-IN es es-AR es-MX et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt pt-PT ro ru si sk sl sq sr sr-Latn sv sw ta te th tr uk ur uz vi zh zh-Hant zu'.split(
    ' ',
  );

/** Longest names of months, in words: "meán fómhair". */
export const MOST_WORDS = 3;

/** English words of dates that no format has. */
const ORDINALS = ['t', 'on', 'of', 'st', 'nd', 'rd', 'th'];

/** What the words of dates mean; phrases are joined by spaces. */
export interface DateWords {
  /** From 1, with the languages in which a word is that month: "listopad" is one in Croatian and another in Polish. */
  readonly months: ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;
  /** Words beside a number that make it the month: 月 behind it, "tháng" before it. */
  readonly marks: ReadonlyMap<string, 'before' | 'behind'>;
  readonly halves: ReadonlyMap<string, 'am' | 'pm'>;
  /** Weekdays and everything else that stands in dates, such as "de". */
  readonly others: ReadonlySet<string>;
}

/** Stands for a time of day among the tokens of a text. */
export const CLOCK_TOKEN = '⌚';

const TOKEN = /⌚|\d+|[\p{L}\p{M}'’׳״]+/gu;

/** The numbers and words of a date, without case, points and marks of direction, and {@link CLOCK_TOKEN}. */
export const tokensOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u0307\p{Cf}]/gu, '')
    .match(TOKEN) ?? [];

const cached = new Map<string, DateWords>();

/** The words of these languages; by default of all that are known, which takes a browser some tenths of a second once. */
export function dateWords(languages: readonly string[] = LANGUAGES): DateWords {
  const key = languages.join();
  const words = cached.get(key) ?? collect(languages);
  cached.set(key, words);
  return words;
}

/** A day of each month; all weekdays are among them. */
const DAYS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 21));
const HALVES = [
  [Date.UTC(2026, 10, 21, 6, 5), 'am'],
  [Date.UTC(2026, 10, 21, 18, 5), 'pm'],
] as const;

/** Months alone and in dates, which other cases of a language may need ("marraskuu", "21. marraskuuta"). */
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
  const others = new Set<string>(ORDINALS);
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

/** A date's month, with letters that are written together with it, as Hebrew's "in" is; and its other words. */
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
