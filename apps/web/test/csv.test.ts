import { describe, expect, test } from 'bun:test';
import { findTitles, guessColumns, zoneInTitle } from '../src/posts/csv/columns.ts';
import { readCount } from '../src/posts/csv/read-count.ts';
import { readCsv } from '../src/posts/csv/read-csv.ts';
import { areRounded, hasTime, readRow, rowReader } from '../src/posts/csv/read-row.ts';
import { sendLines } from '../src/posts/csv/send-lines.ts';

/** The header rows of real exports from 2026, and of an older export from Twitter. */
const EXPORTS: readonly (readonly [network: string, titles: string, columns: Readonly<Record<string, string>>])[] = [
  [
    'Instagram',
    'Post ID,Account ID,Account username,Account name,Description,Duration (sec),Publish time,Permalink,Post type,Data comment,Date,Views,Likes,Shares,Comments,Saves,Reach,Follows',
    {
      published_at: 'Publish time',
      external_id: 'Post ID',
      text: 'Description',
      impressions: 'Views',
      likes: 'Likes',
      comments: 'Comments',
      shares: 'Shares',
      saves: 'Saves',
    },
  ],
  [
    'Facebook',
    'Post ID,Page ID,Page name,Title,Description,Duration (sec),Publish time,Caption type,Permalink,Is crosspost,Is share,Post type,Languages,Custom labels,Funded content status,Data comment,Date,Views,Reach,Reactions; Comments and Shares,Reactions,Comments,Shares,Total clicks,Other Clicks,Link Clicks',
    {
      published_at: 'Publish time',
      external_id: 'Post ID',
      text: 'Description',
      impressions: 'Views',
      likes: 'Reactions',
      comments: 'Comments',
      shares: 'Shares',
      clicks: 'Total clicks',
    },
  ],
  [
    'LinkedIn',
    'Post title,Post link,Post type,Campaign name,Posted by,Created date,Campaign start date,Campaign end date,Audience,Impressions,Views,Offsite Views,Clicks,Click through rate (CTR),Likes,Comments,Reposts,Follows,Engagement rate,Content Type',
    {
      published_at: 'Created date',
      external_id: 'Post link',
      text: 'Post title',
      impressions: 'Impressions',
      likes: 'Likes',
      comments: 'Comments',
      shares: 'Reposts',
      clicks: 'Clicks',
    },
  ],
  [
    'TikTok',
    'Video title,Video link,Post time,Total likes,Total comments,Total shares,Total views,Total play time,Average watch time,Watched full video,Add to favorites',
    {
      published_at: 'Post time',
      external_id: 'Video link',
      text: 'Video title',
      impressions: 'Total views',
      likes: 'Total likes',
      comments: 'Total comments',
      shares: 'Total shares',
      saves: 'Add to favorites',
    },
  ],
  [
    'X',
    'Post id,Date,Post text,Post Link,Impressions,Likes,Engagements,Bookmarks,Shares,New follows,Replies,Reposts,Profile visits,Detail Expands,URL Clicks,Hashtag Clicks,Permalink Clicks',
    {
      published_at: 'Date',
      external_id: 'Post id',
      text: 'Post text',
      impressions: 'Impressions',
      likes: 'Likes',
      comments: 'Replies',
      shares: 'Reposts',
      saves: 'Bookmarks',
      clicks: 'URL Clicks',
    },
  ],
  [
    'Twitter',
    'Tweet id,Tweet permalink,Tweet text,time,impressions,engagements,engagement rate,retweets,replies,likes,user profile clicks,url clicks,hashtag clicks,detail expands',
    {
      published_at: 'time',
      external_id: 'Tweet id',
      text: 'Tweet text',
      impressions: 'impressions',
      likes: 'likes',
      comments: 'replies',
      shares: 'retweets',
      clicks: 'url clicks',
    },
  ],
];

const READING = {
  profile: 'p',
  order: 'month',
  timeZone: 'UTC',
  exportedAt: Date.UTC(2026, 10, 29),
  hasShortYears: false,
  hasRoundedIds: false,
} as const;

const titled = (titles: readonly string[], columns: object) =>
  Object.fromEntries(Object.entries(columns).map(([field, index]) => [field, titles[index]]));

describe('the columns of an export', () => {
  test.each(EXPORTS)('are recognized for %s', (_, line, columns) => {
    const titles = line.split(',');
    expect(titled(titles, guessColumns(titles))).toEqual(columns);
    expect(findTitles([['All posts'], titles, ['1']])).toBe(1);
  });

  test('are recognized for YouTube, where Content is the ID of a video', () => {
    const titles = ['Content', 'Video title', 'Video publish time', 'Views'];
    expect(guessColumns(titles)).toMatchObject({ external_id: 0, text: 1, published_at: 2 });
    expect(guessColumns(['Date', 'Content', 'Title'])).not.toHaveProperty('external_id');
  });

  test('include the text from the column in which most posts have one', () => {
    const titles = ['Post ID', 'Title', 'Description', 'Publish time'];
    const rows = [
      ['1', 'Sun', '', '11/21/2026 09:30'],
      ['2', 'Sea', '', '11/22/2026 09:30'],
      ['3', '', 'A film', '11/23/2026 09:30'],
    ];
    expect(guessColumns(titles, {}, rows)).toMatchObject({ text: 1 });
    expect(guessColumns(titles, {}, rows.slice(2))).toMatchObject({ text: 2 });
    expect(guessColumns(titles, { text: 'Description' }, rows)).toMatchObject({ text: 2 });
  });

  test.each([
    ['2026-03-05', '18:30', '2026-03-05T18:30:00.000Z'],
    ['03/05/2026', '6:30 PM', '2026-03-05T18:30:00.000Z'],
    ['Mar 5, 2026', '18.30', '2026-03-05T18:30:00.000Z'],
    ['2026-03-05', '18:30:05+01:00', '2026-03-05T17:30:05.000Z'],
    ['2026-03-05', '', '2026-03-05T00:00:00.000Z'],
    ['2026-03-05 07:00', '18:30', '2026-03-05T07:00:00.000Z'],
  ])('include the date and the time of day in separate columns: %p and %p', (date, time, published_at) => {
    const titles = ['Time', 'Date', 'Text'];
    const rows = [
      [time, date, 'Sun'],
      ['7:05', '2026-03-06', 'Sea'],
    ];
    const columns = guessColumns(titles, {}, rows);
    expect(columns).toEqual({ published_at: 1, time_of_day: 0, text: 2 });
    expect(readRow(rows[0] ?? [], { ...READING, columns })).toMatchObject({ published_at });
    expect(hasTime(rows[0] ?? [], { ...READING, columns })).toBe(!published_at.includes('T00'));
  });

  test('have no separate time of day if a column named so has dates, or if nothing else has dates', () => {
    const titles = ['time', 'likes', 'Date'];
    expect(guessColumns(titles, {}, [['2026-03-05 18:30', '3', '']])).toEqual({ published_at: 0, likes: 1 });
    expect(guessColumns(titles.slice(0, 2), {}, [['18:30', '3']])).toEqual({ time_of_day: 0, likes: 1 });
  });

  test('are recognized with the time zone in a title', () => {
    expect(guessColumns(['Date (UTC)', 'Likes'])).toEqual({ published_at: 0, likes: 1 });
    expect(['Date (UTC)', 'Time GMT', 'Date (GMT+1)', 'Date', 'Outcome'].map(zoneInTitle)).toEqual([
      ...['UTC', 'UTC'],
      ...[null, null, null],
    ]);
  });

  test('keep earlier choices, even the choice of no column', () => {
    const titles = ['Date', 'When', 'Likes'];
    expect(guessColumns(titles, { published_at: 'When', likes: '', text: 'Gone' })).toEqual({ published_at: 1 });
  });

  test('are unknown if no title is known, and the first line is taken as the header', () => {
    expect([findTitles([['a', 'b'], ['c']]), guessColumns(['a', 'b'])]).toEqual([0, {}]);
  });
});

test.each([
  ['', undefined],
  ['-', undefined],
  ['0', 0],
  ['18,400', 18_400],
  ['1.234.567', 1_234_567],
  ['1.2K', 1200],
  ['3M', 3_000_000],
  ['12.0', 12],
  ['1,234K', null],
  ['0.5', null],
  ['0.123', null],
  ['1,234.00', 1234],
  ['1.234,0', 1234],
  ['1 234,00', 1234],
  ['12\u00a0345\u00a0678,0', 12_345_678],
  ["1'234.00", 1234],
  ['10 237,65', null],
  ['12,34,567', 1_234_567],
  ['١٬٢٣٤', 1234],
  ['१२,३४,५६७', 1_234_567],
  ['1,23,4567', null],
  ['--', undefined],
  ['N/A', undefined],
  ['NaN', undefined],
  ['None', undefined],
  ['#N/A', undefined],
  ['undefined', undefined],
  ['1.234,5', null],
  ['many', null],
  ['-3', null],
])('the number %p is read as %p', (text, count) => {
  expect(readCount(text)).toBe(count as number);
});

describe('a row', () => {
  const reading = { ...READING, columns: { published_at: 0, text: 1, likes: 2, external_id: 3 } };

  test('becomes a line of the import', () => {
    expect(readRow([' 2026-01-02 ', 'Sun\n', '1,234', '77'], reading)).toEqual({
      profile: 'p',
      external_id: '77',
      published_at: '2026-01-02T00:00:00.000Z',
      text: 'Sun',
      metrics: { likes: 1234 },
    });
  });

  test('has the time from its ID if the network is X, whose exports have only days', () => {
    const timeIn = (time: string, id: string) => Object.entries(readRow([time, '', '', id], reading))[2]?.[1];
    expect(timeIn('Fri, Nov 21, 2025', '1991887361427738889')).toBe('2025-11-21T15:12:09.000Z');
    expect(timeIn('Fri, Nov 21, 2025', '1991887361427730000')).toBe('2025-11-21T15:12:09.000Z');
    expect(timeIn('Fri, Nov 21, 2025 9:00 AM', '1991887361427738889')).toBe('2025-11-21T09:00:00.000Z');
    expect(timeIn('Sun, Nov 23, 2025', '1991887361427738889')).toBe('2025-11-23T00:00:00.000Z');
    expect(timeIn('Fri, Nov 21, 2025', '17900000000000001')).toBe('2025-11-21T00:00:00.000Z');
    expect(
      ['1991887361427738889', '17900000000000001'].map((id) => hasTime(['Nov 21, 2025', '', '', id], reading)),
    ).toEqual([true, false]);
  });

  test.each([
    ['TikTok', 'https://www.tiktok.com/@shop/video/7301234567890123456', '2023-11-14T08:39:03.000Z'],
    [
      'TikTok, by a longer link',
      'https://www.tiktok.com/@a2/video/7301234567890123456?x=12',
      '2023-11-14T08:39:03.000Z',
    ],
    [
      'LinkedIn',
      'https://www.linkedin.com/feed/update/urn:li:activity:7130141591552000000',
      '2023-11-14T10:37:07.000Z',
    ],
    [
      'LinkedIn, by a share',
      'https://www.linkedin.com/feed/update/urn:li:share:7130141591552000000/',
      '2023-11-14T10:37:07.000Z',
    ],
    ['X, by a link', 'https://x.com/shop/status/1724360000000000000', '2023-11-14T09:33:55.000Z'],
  ])('has the time from the link of %s', (_, link, time) => {
    expect(readRow(['November 14, 2023', '', '', link], reading)).toMatchObject({
      external_id: link,
      published_at: time,
    });
    expect(hasTime(['November 14, 2023', '', '', link], reading)).toBe(true);
  });

  test.each([
    ['has an ID of another day', 'https://www.tiktok.com/@shop/video/7311234567890123456'],
    ['has the digits in a word', 'https://example.com/p7301234567890123456'],
  ])('has no time if its link %s', (_, link) => {
    expect(readRow(['November 14, 2023', '', '', link], reading)).toMatchObject({
      published_at: '2023-11-14T00:00:00.000Z',
    });
    expect(hasTime(['November 14, 2023', '', '', link], reading)).toBe(false);
  });

  test('has no text if its cell is empty, so that the import keeps what somebody wrote here', () => {
    expect(readRow(['2026-01-02', ' ', '1', '77'], reading)).not.toHaveProperty('text');
  });

  test('without an id always gets the same one, whatever its numbers', () => {
    const rows = [
      ['2026-01-02', 'Sun\n  is out'],
      ['2026-01-02', 'Sun is out', '5'],
      ['2026-01-02', 'Sun is out!'],
    ];
    const [one, same, other] = rows.map((row) =>
      Object.entries(readRow(row, reading)).find(([name]) => name === 'external_id'),
    );
    expect(one).toEqual(['external_id', expect.stringMatching(/^2026-01-02T00:00:00\.000Z \w{5,7}$/)]);
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });

  test('is refused if it contradicts an earlier row about the same post', () => {
    const long = 'a'.repeat(200);
    const read = rowReader(reading);
    const rows = [
      ['2026-01-02 10:00:05', long],
      ['2026-01-02 10:00:55', long],
      ['2026-01-02 10:00:05', `${long}b`],
      ['2026-01-02 10:00:05', long],
      ['2026-01-02 10:00:05', long, '7'],
      ['2026-01-02', 'Sun', '1', '77'],
      ['2026-01-02', 'Sea', '1', '77'],
    ].map((cells, index) => read({ number: index + 2, cells }));
    expect(rows.map((line) => (typeof line === 'string' ? line : 'read'))).toEqual([
      'read',
      'read',
      'read',
      'read',
      'It has the same time and text as row 2 but different values.',
      'read',
      'It has the same ID as row 7 but different values.',
    ]);
  });

  test.each([
    ['two IDs of X', ['1991887361427730000', '1990000000000010000'], true],
    [
      'three IDs of Instagram, one of them protected',
      ['17900000000000100', '="17900000000000200"', '17900000000000300'],
      true,
    ],
    ['long and short IDs', ['1991887361427730000', '1990000000000010000', '77', ''], true],
    ['one ID, which may end with zeros by chance', ['1991887361427730000'], false],
    ['IDs of which one has all digits', ['1991887361427730000', '1990000000000010000', '1991887361427738889'], false],
    ['IDs that spreadsheets keep', ['100000000000000', '200000000000000'], false],
    ['no IDs', ['', ''], false],
  ])('column of %s is recognized as rounded or not', (_, ids, expected) => {
    expect(areRounded(ids)).toBe(expected);
  });

  test('is refused if its ID and those of the whole column were rounded, because it would become a new post', () => {
    const rounded = { ...reading, hasRoundedIds: true };
    expect(readRow(['2026-01-02', '', '', '1991887361427730000'], rounded)).toBe(
      'A spreadsheet has rounded the ID “1991887361427730000”. Export the file again.',
    );
    expect(readRow(['2026-01-02', '', '', '77'], rounded)).toMatchObject({ external_id: '77' });
    expect(readRow(['2026-01-02', '', '', '1991887361427730000'], reading)).not.toBeString();
  });

  test.each([
    [['x'], '“x” can’t be read as a time.'],
    [[''], 'The time is missing.'],
    [['2026-01-02', '', 'many'], '“many” can’t be read as a number.'],
    [['2026-01-02', '', '', '1.22158E+17'], 'A spreadsheet has rounded the ID “1.22158E+17”. Export the file again.'],
    [['2026-01-02', '', '', '1,86312E+18'], 'A spreadsheet has rounded the ID “1,86312E+18”. Export the file again.'],
  ])('is refused: %p', (row, sentence) => {
    expect(readRow(row, reading)).toBe(sentence);
  });
});

describe('a file', () => {
  const read = (content: string | Uint8Array<ArrayBuffer>) => readCsv(new File([content], 'posts.csv'));

  test('has its rows numbered as in a spreadsheet, and its blank rows left out', async () => {
    expect(await read('Date,Text\n\n2026-01-02,"Sun\nand sea"\n,\n2026-01-03,x\n\n')).toEqual([
      { number: 1, cells: ['Date', 'Text'] },
      { number: 3, cells: ['2026-01-02', 'Sun\nand sea'] },
      { number: 5, cells: ['2026-01-03', 'x'] },
    ]);
  });

  test.each([
    ['text after a closing mark', 'Date,Text\na,b\nc,"Wow" they said, so we went\nd,e\n', 3],
    ['a missing closing mark', 'Date,Text\na,b\nc,d\ne,"f\ng,h\n', 4],
  ])('is refused if its quotation marks don’t match: %s', async (_, content, row) => {
    expect(await read(content).catch(String)).toContain(`The quotation marks in row ${row} don’t match.`);
  });

  test.each([
    ['of Excel', [0x50, 0x4b, 0x03, 0x04]],
    ['of Excel until 2003, as LinkedIn exports', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ])('is refused if it is a spreadsheet %s', async (_, bytes) => {
    expect(await read(Uint8Array.from(bytes)).catch(String)).toContain('This is a spreadsheet. Save it as CSV first.');
  });

  test('is refused with more than 50,000 rows, even with blank rows between them', async () => {
    expect(await read('time,likes\n'.concat('x,1\n\n'.repeat(30_000))).catch(String)).toContain(
      'more than 50,000 rows',
    );
    expect(await read('time,likes\n'.concat('x,1\n'.repeat(49_999)))).toHaveLength(50_000);
  });
});

describe('lines of an import', () => {
  const html = (status: number, headers = {}) => new Response('<html></html>', { status, headers });
  const report = { created: 1, updated: 0, unchanged: 0, rejections: [] };

  /** Sends a line to a server that gives these responses, one per request. */
  async function send(...answers: readonly Response[]) {
    const left = [...answers];
    const got: string[] = [];
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        got.push(await request.text());
        return left.shift() ?? new Response(null, { status: 500 });
      },
    });
    try {
      return { got, answer: await sendLines(server.url.href, [{ a: 1 }]).catch((error: unknown) => error) };
    } finally {
      await server.stop(true);
    }
  }

  test('are sent again while the service is busy or a proxy can’t reach it', async () => {
    const busy = Response.json({ message: 'Too many requests.' }, { status: 429, headers: { 'Retry-After': '1' } });
    const began = performance.now();
    expect(await send(html(502), busy, Response.json({ data: report }))).toEqual({
      got: Array(3).fill('{"a":1}\n'),
      answer: report,
    });
    expect(performance.now() - began).toBeGreaterThan(1100);
  });

  test.each([
    ['if the service has been down for long', html(503, { 'Retry-After': '61' }), { code: 'unreachable' }],
    [
      'if the service refuses them',
      Response.json({ message: 'No such workspace.' }, { status: 404 }),
      { code: 'refused', message: 'No such workspace.' },
    ],
  ])('are not sent again %s', async (_, answer, error) => {
    expect(await send(answer)).toEqual({ got: ['{"a":1}\n'], answer: expect.objectContaining(error) });
  });
});
