import { type DateWords, dateWords, MAX_WORDS } from './date-words.ts';

export type DateOrder = 'month' | 'day';

export interface DateReading {
  /** Whether `2/3/2026` begins with the day or the month. */
  readonly order: DateOrder;
  /**
   * When the file was written, in milliseconds since 1970: a date without a year, as TikTok writes those of the current
   * year, is the latest such day before.
   */
  readonly exportedAt: number;
  /** Whether dates such as `2/3/26` are known to end with the year. */
  readonly hasShortYears: boolean;
}

/** Plausible years of posts. */
const YEARS = { first: 1990, last: 2199 };

/** A date such as `2026-11-21`, or the end of the sentence that says why the text can't be read. */
type Read = { readonly date: string } | { readonly problem: string };

/** Abbreviations of time zones. They aren't read, because CST and IST are several zones. */
const ZONE_NAME = /^(?:[pmceah][sd]?t|ak[sd]t|[cew]es?t|bst|[ijkm]st|a[ce][sd]t|nz[sd]t)$/;

const UNREADABLE: Read = { problem: '' };

/**
 * Returns the words of the user's languages and English, which take precedence over the words of all other languages.
 */
export const ownWords = (languages: readonly string[]): DateWords => dateWords([...new Set(['en', ...languages])]);

/** Reads a date from its numbers and words. */
export function readDate(
  tokens: readonly string[],
  { order, exportedAt, hasShortYears }: DateReading,
  languages: readonly string[],
): Read {
  const own = ownWords(languages);
  let understood = understand(tokens, [own]);
  if ('unknown' in understood) understood = understand(tokens, [own, dateWords()]);
  if ('unknown' in understood) {
    if (!tokens.some(isNumber)) return UNREADABLE;
    if (ZONE_NAME.test(understood.unknown))
      return { problem: `: write its time zone as an offset, such as -08:00, instead of “${understood.unknown}”` };
    return { problem: `: “${understood.unknown}” is no month in a language that is known here` };
  }
  const { numbers, months } = understood;
  return months === null ? ofNumbers(numbers, order, hasShortYears) : withMonth(numbers, months, exportedAt);
}

function ofNumbers(numbers: readonly string[], order: DateOrder, hasShortYears: boolean): Read {
  const [one = '', two = '', three = ''] = numbers;
  if (numbers.length !== 3) return UNREADABLE;
  if (one.length === 4) return dateOf(one, Number(two), three);
  // If none of the three numbers has four digits, any of them may be the year, unless the whole column settles it.
  if (three.length === 2 && !hasShortYears) return { problem: ': write its year with four digits' };
  const year = three.length === 2 ? `20${three}` : three;
  return order === 'month' ? dateOf(year, Number(one), two) : dateOf(year, Number(two), one);
}

function withMonth(numbers: readonly string[], months: Months, exportedAt: number): Read {
  const [month, ...others] = [...months.keys()];
  if (others.length > 0) return { problem: `: ${meanings(months)}. Write the month as a number` };
  const [one = '', two = ''] = numbers;
  if (numbers.length === 1) return withoutYear(Number(month), one, exportedAt);
  if (numbers.length !== 2) return UNREADABLE;
  const [day, year] = one.length === 4 ? [two, one] : [one, two];
  // The year may have two digits, because spreadsheets write dates like 21-Nov-26.
  return dateOf(year.length === 2 ? `20${year}` : year, Number(month), day);
}

const DAY = 24 * 60 * 60 * 1000;

/** Years within which every day occurs, including 29 February after a year such as 2100. */
const YEARS_OF_ALL_DAYS = 8;

/** Returns the latest such day that isn't after the day of the export anywhere on Earth. */
function withoutYear(month: number, day: string, exportedAt: number): Read {
  const last = exportedAt + DAY;
  const year = new Date(last).getUTCFullYear();
  for (let before = 0; before <= YEARS_OF_ALL_DAYS; before += 1) {
    const read = dateOf(String(year - before), month, day);
    if ('date' in read && Date.parse(read.date) <= last) return read;
  }
  return UNREADABLE;
}

/** Builds a date; rejects days that don't exist. */
function dateOf(year: string, month: number, day: string): Read {
  if (year.length !== 4 || Number(year) < YEARS.first || Number(year) > YEARS.last || day.length > 2) return UNREADABLE;
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  const real = new Date(`${date}T00:00Z`);
  return !Number.isNaN(real.getTime()) && real.toISOString().startsWith(date) ? { date } : UNREADABLE;
}

/** The months that a word may mean, each with the languages in which it has that meaning. */
type Months = ReadonlyMap<number, readonly string[]>;

const MONTH_NAME = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });

/** Describes an ambiguous month: "it is October in Croatian and November in Polish". */
const meanings = (months: Months): string =>
  `it is ${[...months]
    .map(([month, languages]) => `${MONTH_NAME.format(Date.UTC(2026, month - 1, 1))} in ${languages.join(', ')}`)
    .join(' and ')}`;

type Understood =
  | { readonly numbers: readonly string[]; readonly months: Months | null }
  | { readonly unknown: string };

/** Whether a word can only be a month. In the French "mar. 1 déc. 2026", "mar." means Tuesday, not March. */
const isSure = ({ mayBeOther }: { readonly mayBeOther: boolean }): boolean => !mayBeOther;

const isNumber = (token: string): boolean => /^\d/.test(token);

/**
 * Returns the numbers of a date, and the months that its word may mean. The meaning comes from the first vocabulary
 * that contains the word.
 */
function understand(tokens: readonly string[], vocabularies: readonly DateWords[]): Understood {
  const numbers: string[] = [];
  const found: { readonly months: Months; readonly mayBeOther: boolean }[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? '';
    const numbered = numberedMonth(tokens, at, vocabularies);
    if (numbered) {
      found.push({ months: new Map([[numbered.month, []]]), mayBeOther: false });
      at += numbered.length;
    } else if (isNumber(token)) {
      numbers.push(token);
      at += 1;
    } else {
      const named = namedMonth(tokens, at, vocabularies);
      const mayBeOther = vocabularies.some(({ others }) => others.has(token));
      if (!named && !mayBeOther) return { unknown: token };
      if (named) found.push({ months: named.months, mayBeOther });
      at += named?.length ?? 1;
    }
  }
  const [month, ...more] = [
    ...new Set((found.some(isSure) ? found.filter(isSure) : found).map(({ months }) => months)),
  ];
  return more.length > 0 ? { numbers: [], months: null } : { numbers, months: month ?? null };
}

/** Returns the number that an adjacent word marks as the month: 11月, "tháng 11". */
function numberedMonth(tokens: readonly string[], at: number, vocabularies: readonly DateWords[]) {
  const markOf = (words: string) => vocabularies.find(({ marks }) => marks.has(words))?.marks.get(words);
  const [one = '', two = ''] = [tokens[at], tokens[at + 1]];
  if (isNumber(two) && markOf(one) === 'before') return { month: Number(two), length: 2 };
  if (!isNumber(one)) return null;
  for (let length = MAX_WORDS; length > 0; length -= 1)
    if (markOf(tokens.slice(at + 1, at + 1 + length).join(' ')) === 'behind')
      return { month: Number(one), length: 1 + length };
  return null;
}

function namedMonth(tokens: readonly string[], at: number, vocabularies: readonly DateWords[]) {
  for (let length = MAX_WORDS; length > 0; length -= 1) {
    const words = tokens.slice(at, at + length).join(' ');
    for (const { months } of vocabularies) {
      const known = months.get(words);
      if (known) return { months: known, length };
    }
  }
  return null;
}
