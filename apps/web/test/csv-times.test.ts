import { describe, expect, test } from 'bun:test';
import { endWithShortYears, guessOrder, hasOrder, hasTimeOfDay, readTime } from '../src/posts/csv/read-time.ts';

const exportedAt = Date.UTC(2026, 10, 29, 12);
const BERLIN = { order: 'month', timeZone: 'Europe/Berlin', exportedAt, hasShortYears: false } as const;
const UTC = { order: 'day', timeZone: 'UTC', exportedAt, hasShortYears: false } as const;

/** Returns the instant of a text; null if it isn't a time. */
const instantOf = (text: string, reading: typeof BERLIN | typeof UTC = UTC, languages: readonly string[] = []) =>
  Object.entries(readTime(text, reading, languages)).find(([name]) => name === 'instant')?.[1] ?? null;

test.each([
  ['11/21/2026 18:30', '2026-11-21T17:30:00.000Z'],
  ['7/4/2026, 6:05 PM', '2026-07-04T16:05:00.000Z'],
  ['12:00 AM', null],
  ['2026-11-21 18:30:59', '2026-11-21T17:30:59.000Z'],
  ['2026-11-21 18:30:59.9', '2026-11-21T17:30:59.000Z'],
  ['2027-03-28T12:00', '2027-03-28T10:00:00.000Z'],
  ['2026-11-21T18:30:00Z', '2026-11-21T18:30:00.000Z'],
  ['2017-11-21 18:30 +0000', '2017-11-21T18:30:00.000Z'],
  ['2026-11-21T10:00:00+01', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T10:00-05:30', '2026-11-21T15:30:00.000Z'],
  ['2026-11-21 10:00 UTC', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21 10:00 (GMT)', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21 10:00 GMT+2', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21 10:00:00 +0000 UTC', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21 10:00:00 +0200 CEST', '2026-11-21T08:00:00.000Z'],
  ['Sat Nov 21 2026 10:00:00 GMT+0100 (Central European Standard Time)', '2026-11-21T09:00:00.000Z'],
  ['Wed Oct 10 20:19:24 +0000 2018', '2018-10-10T20:19:24.000Z'],
  ['Wed Oct 10 20:19:24 GMT+02:00 2018', '2018-10-10T18:19:24.000Z'],
  ['Wed Oct 10 20:19:24 UTC 2018', '2018-10-10T20:19:24.000Z'],
  ['Wed Oct 10 20:19:24 2018', '2018-10-10T18:19:24.000Z'],
  ['21. Mrz 2026, 18:30 Uhr', '2026-03-21T17:30:00.000Z'],
  ['2026年11月21日 18時30分', '2026-11-21T17:30:00.000Z'],
  ['2026年11月21日 下午6时5分09秒', '2026-11-21T17:05:09.000Z'],
  ['2026년 11월 21일 오후 6시 30분', '2026-11-21T17:30:00.000Z'],
  ['2026-11-21T10:00+99:99', null],
  ['2026-11-21 24:00', null],
  ['2026-11-21 13:00 AM', null],
  ['2026-11-21 12:30 PM', '2026-11-21T11:30:00.000Z'],
  ['03/15/2024 10:05 am', '2024-03-15T09:05:00.000Z'],
  ['Fri, Nov 21, 2025', '2025-11-20T23:00:00.000Z'],
  ['Nov 21st, 2025', '2025-11-20T23:00:00.000Z'],
  ['6:05 PM · Nov 21, 2025', '2025-11-21T17:05:00.000Z'],
  ['21 November 2025 12:30 am', '2025-11-20T23:30:00.000Z'],
  ['21-Nov-26', '2026-11-20T23:00:00.000Z'],
  ['18:30 21/11/2026', null],
  ['21.11.2026', null],
  ['2/30/2026', null],
  ['11/21/2026 25:00', null],
  ['Lifetime', null],
  ['', null],
])('the time %p in Berlin, with months first, is read as %p', (text, instant) => {
  expect(instantOf(text, BERLIN)).toBe(instant);
});

/** `Intl` writes the dates in the languages that networks support, with the grammatical cases of the months' names. */
describe('a date in words', () => {
  const LANGUAGES =
    'ar bg ca cs da de el en-GB es et fi fil fr he hi hr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sr-Latn sv th tr uk vi zh zh-Hant';
  const FORMS: readonly Intl.DateTimeFormatOptions[] = [
    { dateStyle: 'full' },
    { dateStyle: 'long', timeStyle: 'short' },
    { dateStyle: 'medium', timeStyle: 'short', hour12: true },
  ];

  test.each(LANGUAGES.split(' '))('is read in the language %s, whatever the month', (language) => {
    for (const form of FORMS) {
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...form, timeZone: 'UTC' });
      for (let month = 0; month < 12; month += 1) {
        const time = new Date(Date.UTC(2026, month, 21, ...(form.timeStyle ? [18, 5] : [0, 0])));
        const text = format.format(time);
        // The test passes the language, because Croatian and Polish use the same name for different months.
        expect([text, instantOf(text, UTC, [language])]).toEqual([text, time.toISOString()]);
      }
    }
  });

  test.each([
    ['1. marraskuuta 2026', '2026-11-01'],
    ['1. MARRASKUUTA 2026', '2026-11-01'],
    ['1 marzo 2026', '2026-03-01'],
    ['1 mars 2026', '2026-03-01'],
    ['1 març 2026', '2026-03-01'],
    ['mar. 1 déc. 2026', '2026-12-01'],
    ['mar 3 mar 2026', '2026-03-03'],
    ['5 lipca 2026', '2026-07-05'],
    ['5 липня 2026 р.', '2026-07-05'],
    ['21 listopadu 2026', '2026-11-21'],
    // The file was written on 29 November 2026.
    ['10 de febrero', '2026-02-10'],
    ['November 30', '2026-11-30'],
    ['1 December', '2025-12-01'],
    ['Feb 29', '2024-02-29'],
  ])('is read without a language: %p', (text, date) => {
    expect(instantOf(text)).toBe(`${date}T00:00:00.000Z`);
  });

  test.each([
    ['ar-EG', '٢١ نوفمبر ٢٠٢٦ في ٦:٠٥ م'],
    ['ar', '٢١‏/١١‏/٢٠٢٦، ٦:٠٥ م'],
    ['fa', '۲۱ نوامبر ۲۰۲۶ ساعت ۱۸:۰۵'],
    ['bn', '২১ নভেম্বর, ২০২৬ এ ৬:০৫ PM'],
    ['mr', '२१ नोव्हेंबर, २०२६ रोजी ६:०५ PM'],
    ['my', '၂၀၂၆ နိုဝင်ဘာ ၂၁ ၁၈:၀၅'],
  ])('is read with the digits of the language %s: %p', (language, text) => {
    expect(instantOf(text, UTC, [language])).toBe('2026-11-21T18:05:00.000Z');
  });

  test('whose month differs between languages is read in the browser’s language, or refused', () => {
    const text = '21 listopada 2026';
    expect(['pl', 'hr', 'de'].map((language) => instantOf(text, UTC, [language]))).toEqual([
      '2026-11-21T00:00:00.000Z',
      '2026-10-21T00:00:00.000Z',
      null,
    ]);
    expect(readTime(text, UTC, ['de'])).toEqual({
      problem:
        '“21 listopada 2026” can’t be read as a time: it is October in Croatian and November in Polish. Write the month as a number.',
    });
  });

  test.each([
    ['1 marrask 2026', '“marrask” is no month in a language that is known here'],
    ['Posted Nov 21, 2026', '“posted” is no month in a language that is known here'],
    ['Nov 21, 2026 6:05 PM EST', 'write its time zone as an offset, such as -08:00, instead of “est”'],
    ['2026-11-21 18:30 PST', 'write its time zone as an offset, such as -08:00, instead of “pst”'],
    ['21/11/26', 'write its year with four digits'],
    ['26/11/21 18:05', 'write its year with four digits'],
  ])('is refused with a reason: %p', (text, reason) => {
    expect(readTime(text, UTC, ['en'])).toEqual({ problem: `“${text}” can’t be read as a time: ${reason}.` });
  });

  test.each(
    ['Nov 2026', 'Feb 30', 'March', 'mar mai 2026', '1 Jan Feb 2026', '1 2 3 4', '12345678', 'a'.repeat(100_000)].map(
      (text) => [text.slice(0, 40), text] as const,
    ),
  )('is refused: %p', (_, text) => {
    expect(readTime(text, UTC, [])).toHaveProperty('problem');
  });
});

test.each([
  [['1/2/2026', '13/2/2026'], 'day'],
  [['1/2/26', '13/2/26'], 'day'],
  [['1/2/2026', '2/13/2026'], 'month'],
  [['1/2/2026'], 'month'],
  [['1.2.2026'], 'day'],
  [['1. 2. 2026'], 'day'],
  // The dates are sorted if the day comes first: 5 and 12 November, 2 December.
  [['05/11/2026 10:00', '12/11/2026 9:00', '02/12/2026'], 'day'],
  [['03/11/2026', '02/11/2026', '01/11/2026', '12/10/2026'], 'day'],
  [['11/01/2026', '11/02/2026', '11/03/2026'], 'month'],
  [['12/31/2025', '01/02/2026'], 'month'],
  [['1/5/2026', 'Nov 21, 2026', ''], 'month'],
] as const)('dates of a column such as %p start with the %s', (texts, order) => {
  expect(guessOrder(texts)).toBe(order);
});

test('a column of long texts is refused as quickly as short ones, with their beginning', () => {
  const caption = 'We are open on 21 days of the year, so come and see us. '.repeat(400);
  const start = performance.now();
  for (let times = 0; times < 20; times += 1) expect(hasTimeOfDay([caption])).toBe(false);
  expect(readTime(caption, UTC, [])).toEqual({ problem: `“${caption.slice(0, 100)}…” can’t be read as a time.` });
  expect(performance.now() - start).toBeLessThan(500);
});

test.each([
  // No year or month is 31 or 4, so these end with the year.
  [['21/11/26 18:30', '31/10/26 9:00'], true],
  [['21.11.26', '04.11.26'], true],
  [['11/21/26 6:05 PM', '11/09/26 1:00 PM'], true],
  // These can be 21 November 2026 as well as 26 November 2021.
  [['21/11/26', '22/11/26'], false],
  [['26/11/21', '26/11/31'], false],
  [['26-11-09', '26-11-10'], false],
  [['21/11/2026', '31/10/2026'], false],
] as const)('whether dates of a column such as %p end with a year of two digits: %p', (texts, expected) => {
  expect(endWithShortYears(texts, exportedAt)).toBe(expected);
});

test('a year of two digits is read if it is known to come last', () => {
  const read = (text: string, order: 'day' | 'month') => readTime(text, { ...UTC, order, hasShortYears: true }, ['en']);
  expect(read('21.11.26 18:30', 'day')).toEqual({ instant: '2026-11-21T18:30:00.000Z' });
  expect(read('11/21/26 6:05 PM', 'month')).toEqual({ instant: '2026-11-21T18:05:00.000Z' });
  expect(read('21/11/26', 'month')).toHaveProperty('problem');
});

test('hasOrder finds dates in which day and month are ambiguous, and hasTimeOfDay finds times of day', () => {
  expect([['1/2/2026'], ['18:30 1/2/2026'], ['2026-01-02'], ['1 Feb 2026'], []].map(hasOrder)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(
    [['1/2/2026', '1/2/2026 18:30'], ['1/2/2026'], ['21.11.2026 klo 18.05'], ['21.11.2026']].map(hasTimeOfDay),
  ).toEqual([true, false, true, false]);
});
