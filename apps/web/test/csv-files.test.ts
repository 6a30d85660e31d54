import { describe, expect, test } from 'bun:test';
import { findTitles, guessColumns } from '../src/posts/csv/columns.ts';
import { decode } from '../src/posts/csv/decode.ts';
import { readCsv } from '../src/posts/csv/read-csv.ts';
import { readRow } from '../src/posts/csv/read-row.ts';
import { guessOrder } from '../src/posts/csv/read-time.ts';

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'utf16le'));
const swapped = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'utf16le').swap16());
const joined = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === 'string' ? utf8(part) : part)]));

describe('decoding a file', () => {
  const text = 'Date;Text\n21.11.2026;Schöne Grüße – 🌞\n';
  const western = 'Date;Text\n21.11.2026;Schöne Grüße\n';

  test.each([
    ['UTF-8', utf8(text), text],
    ['UTF-8 with a byte order mark', utf8(`\ufeff${text}`), text],
    ['UTF-16 LE with a byte order mark', utf16(`\ufeff${text}`), text],
    ['UTF-16 BE with a byte order mark', swapped(`\ufeff${text}`), text],
    ['UTF-16 LE', utf16(text), text],
    ['UTF-16 BE', swapped(text), text],
    ['Windows-1252', latin1(western), western],
    ['ASCII', utf8('Date,Text'), 'Date,Text'],
    ['an empty file', utf8(''), ''],
  ])('recognizes %s', (_, bytes, expected) => {
    expect(decode(bytes, 'en')).toBe(expected);
  });

  /**
   * Each text is invalid UTF-8 at one point: it was cut after a number of bytes, or contains a byte of another
   * encoding, half of an emoji, or half of a surrogate pair (WTF-8).
   */
  test.each([
    ['an emoji cut in half', joined('Grüße 🌞 ', [0xf0, 0x9f], ' und Küsse'), 'Grüße 🌞 � und Küsse'],
    ['its only emoji cut in half', joined('Sun ', [0xf0, 0x9f, 0x8c]), 'Sun �'],
    ['half a surrogate pair', joined('Grüße ', [0xed, 0xa0, 0xbd], '!'), 'Grüße ���!'],
    ['one byte of Windows-1252', joined('Grüße, Café, Stra', [0xdf], 'e'), 'Grüße, Café, Stra�e'],
    ['a broken byte and a byte order mark', joined('\ufeffCaf', [0xe9]), 'Caf�'],
    ['a broken byte in a hundred', joined('ü'.repeat(100), [0x80]), `${'ü'.repeat(100)}�`],
  ])('recognizes UTF-8 with %s, and loses nothing else', (_, bytes, expected) => {
    expect(decode(bytes, 'de')).toBe(expected);
  });

  /**
   * In Windows-1252, these letters and punctuation marks have bytes that look like the beginnings of UTF-8 sequences.
   */
  test.each(['Don’t “quote” me… – €5', 'L’été’s «café» déjà vu', 'São João, coração', 'à', '£5'])(
    'recognizes Windows-1252 text from spreadsheets: %s',
    (sentence) => {
      const bytes = Uint8Array.from(sentence, (character) => {
        const known = [
          ['’', 0x92],
          ['“', 0x93],
          ['”', 0x94],
          ['…', 0x85],
          ['–', 0x96],
          ['€', 0x80],
        ] as const;
        return known.find(([one]) => one === character)?.[1] ?? character.charCodeAt(0);
      });
      expect(decode(bytes, 'fr-FR')).toBe(sentence);
    },
  );

  test.each([
    ['pl-PL', 'łódĽ', [0xb3, 0xf3, 0x64, 0xbc], 'windows-1250'],
    ['ru', 'Привет', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], 'windows-1251'],
    ['el', 'Καλη', [0xca, 0xe1, 0xeb, 0xe7], 'windows-1253'],
    ['tr-TR', 'ışğ', [0xfd, 0xfe, 0xf0], 'windows-1254'],
    ['ja', '日本', [0x93, 0xfa, 0x96, 0x7b], 'Shift_JIS'],
    ['zh-TW', '中文', [0xa4, 0xa4, 0xa4, 0xe5], 'Big5'],
    ['zh-CN', '中文', [0xd6, 0xd0, 0xce, 0xc4], 'GB18030'],
    ['ko-KR', '한글', [0xc7, 0xd1, 0xb1, 0xdb], 'EUC-KR'],
    // In Shift_JIS, the last byte would be half of a character, so the file can't be in Shift_JIS.
    ['ja', 'Café', [0x43, 0x61, 0x66, 0xe9], 'Windows-1252'],
  ] as const)('decodes text in the legacy encoding of the language %s: %s', (language, expected, bytes) => {
    expect(decode(Uint8Array.from(bytes), language)).toBe(expected);
  });
});

const exportedAt = Date.UTC(2026, 10, 29);

/** Returns the posts of an export as they would be imported: time, id, text and impressions. */
async function postsOf(content: string | Uint8Array<ArrayBuffer>) {
  const rows = await readCsv(new File([content], 'export.csv'));
  const at = findTitles(rows.map(({ cells }) => cells));
  const columns = guessColumns(rows[at]?.cells ?? []);
  const posts = rows.slice(at + 1);
  const order = guessOrder(posts.map(({ cells }) => cells[columns.published_at ?? -1] ?? ''));
  return posts.map(({ cells }) => {
    const how = {
      profile: 'p',
      columns,
      order,
      timeZone: 'UTC',
      exportedAt,
      hasShortYears: false,
      hasRoundedIds: false,
    };
    const line = readRow(cells, how);
    return typeof line === 'string'
      ? line
      : [line.published_at.slice(0, 16), line.external_id, line.text ?? null, line.metrics.impressions ?? null];
  });
}

/**
 * Each test reads an export from a different program. Texts contain line ends, quotes, commas and emoji, which parsers
 * often get wrong.
 */
describe('reading an export', () => {
  test.each([
    [
      'Meta Business Suite',
      '\ufeffPost ID,Account ID,Account username,Description,Duration (sec),Publish time,Permalink,Post type,Data comment,Date,Views,Reach,Likes,Shares,Follows,Comments,Saves\r\n' +
        '17900000000000001,178,shop,"Sun, sea\nand ""sand"" 🌞",0,09/16/2026 14:05,https://www.instagram.com/reel/ABC/,IG reel,,Lifetime,"1,520",980,85,4,2,7,31\r\n' +
        '17900000000000002,178,shop,,0,09/12/2026 09:00,https://www.instagram.com/p/DEF/,IG carousel,,Lifetime,,640,40,,0,3,12\r\n',
      [
        ['2026-09-16T14:05', '17900000000000001', 'Sun, sea\nand "sand" 🌞', 1520],
        ['2026-09-12T09:00', '17900000000000002', null, null],
      ],
    ],
    [
      'TikTok',
      'Video title,Video link,Post time,Total likes,Total comments,Total shares,Total views,Average watch time\n' +
        '"Yacht day, white party",https://www.tiktok.com/@a/video/7412345678901234567,2026-08-02 19:05:00,1.2K,48,31,"18,400",11.5\n' +
        'mi primer video,https://www.tiktok.com/@a/video/2,10 de febrero de 2026,100,10,5,9100,9\n' +
        'otro video,https://www.tiktok.com/@a/video/3,20 de marzo,200,20,10,9100,9\n',
      [
        ['2026-08-02T19:05', 'https://www.tiktok.com/@a/video/7412345678901234567', 'Yacht day, white party', 18_400],
        ['2026-02-10T00:00', 'https://www.tiktok.com/@a/video/2', 'mi primer video', 9100],
        ['2026-03-20T00:00', 'https://www.tiktok.com/@a/video/3', 'otro video', 9100],
      ],
    ],
    [
      'X',
      'Post id,Date,Post text,Post Link,Impressions,Likes,Engagements,Bookmarks,Shares,New follows,Replies,Reposts\n' +
        '1991000000000000001,"Fri, Nov 21, 2025","Two lines\n\nand a link https://t.co/x",https://x.com/a/status/1991000000000000001,1000,40,50,1,0,0,2,3\n',
      [['2025-11-21T00:00', '1991000000000000001', 'Two lines\n\nand a link https://t.co/x', 1000]],
    ],
    [
      'LinkedIn, below lines about the report',
      'Total engagement of the page\nPost title,Post link,Post type,Created date,Impressions,Clicks,Likes,Comments,Reposts\n' +
        'We grow; join us,https://www.linkedin.com/feed/update/urn:li:activity:1,Organic,11/20/2026,2000,30,50,4,2\n',
      [['2026-11-20T00:00', 'https://www.linkedin.com/feed/update/urn:li:activity:1', 'We grow; join us', 2000]],
    ],
    [
      'YouTube',
      'Content,Video title,Video publish time,Duration,Views,Watch time (hours)\nabc123,Timelapse,"Sep 14, 2026",120,"1.250",12.5\n',
      [['2026-09-14T00:00', 'abc123', 'Timelapse', 1250]],
    ],
    [
      'Sprout Social',
      'Date,Post ID,Network,Post Type,Content Type,Profile,Sent by,Link,Post,Impressions,Reach,Engagement Rate (per Impression),Reactions,Comments,Shares,Saves,Post Link Clicks\n' +
        '03/15/2024 10:05 am,17890000000000001,Instagram,Post,Reel,Acme,Jane,https://www.instagram.com/reel/xyz,New collection,2000,1500,6.5%,100,20,5,5,\n',
      [['2024-03-15T10:05', '17890000000000001', 'New collection', 2000]],
    ],
    [
      'Excel in German, which leaves commas unquoted',
      latin1(
        'Date;Text;Impressions;Likes;Post ID\r\n01.11.2026 18:30;Grüße, Küsse, und mehr;1.234;10,0;a1\r\n' +
          '02.11.2026 07:05;"Zeile 1\nZeile 2; Ende";12.345;1;a2\r\n',
      ),
      [
        ['2026-11-01T18:30', 'a1', 'Grüße, Küsse, und mehr', 1234],
        ['2026-11-02T07:05', 'a2', 'Zeile 1\nZeile 2; Ende', 12_345],
      ],
    ],
    [
      'Excel as Unicode text',
      utf16('\ufeffDate\tText\tImpressions\r\n21/11/2026 18:30\t"Łódź, 日本"\t1\u00a0234\r\n'),
      [['2026-11-21T18:30', expect.any(String), 'Łódź, 日本', 1234]],
    ],
    [
      'a program that names its separator, saved again',
      'sep=;;\r\nDate;Text\r\n2026-11-21T18:30:00;a, b\r\n',
      [['2026-11-21T18:30', expect.any(String), 'a, b', null]],
    ],
    [
      'a program that protects long numbers',
      '"sep=|"\nPost ID|Date|Likes\n="17900000000000001"|2026-11-21|1\n',
      [['2026-11-21T00:00', '17900000000000001', null, null]],
    ],
    [
      'an old Mac, whose lines end with CR',
      'Date,Text\r2026-11-21,one\r2026-11-22,two\r',
      [
        ['2026-11-21T00:00', expect.any(String), 'one', null],
        ['2026-11-22T00:00', expect.any(String), 'two', null],
      ],
    ],
    [
      'a phone list, whose semicolons Papa Parse overlooks for commas',
      'Date;Post ID\n2026-11-21;5,58199\n2026-11-22;5,51197\n',
      [
        ['2026-11-21T00:00', '5,58199', null, null],
        ['2026-11-22T00:00', '5,51197', null, null],
      ],
    ],
  ])('finds the posts of %s', async (_, content, posts) => {
    expect(await postsOf(content)).toEqual(posts);
  });
});

test('rows are numbered as in a spreadsheet, which does not count a line such as sep=,', async () => {
  const rows = await readCsv(new File(['sep=,\nDate,Text\n2026-11-21,x\n'], 'a.csv'));
  expect(rows.map(({ number }) => number)).toEqual([1, 2]);
});

test('a file longer than the sample that shows its delimiter is read completely', async () => {
  const rows = await readCsv(new File([`Date,Text\n${'2026-11-21,"a\nb"\n'.repeat(20_000)}`], 'a.csv'));
  expect(rows).toHaveLength(20_001);
});
