import { describe, expect, test } from 'bun:test';
import type { MediaFacts } from '@postshelf/domain';
import { fixture, sourceOf } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import {
  box,
  boxHeader,
  description,
  descriptions,
  FILE_TYPE,
  fragment,
  fragmentedMovie,
  movie,
  sampleTables,
  track,
  uint32s,
} from '../support/boxes.ts';
import { counted } from '../support/sources.ts';

const inspector = createMediaInspector();
const inspect = (...boxes: readonly Uint8Array[]) => inspector.inspect(sourceOf(Buffer.concat(boxes)));
const SMALL = { type: 'video/mp4', width: 320, height: 240 };

type Tables = readonly Uint8Array[];

/** Returns sample tables in which some entries are replaced. */
const tables = (options: Parameters<typeof sampleTables>[0], ...others: Tables): Tables => {
  const types = others.map((other) => Buffer.from(other).toString('latin1', 4, 8));
  const kept = sampleTables(options).filter((table) => !types.includes(Buffer.from(table).toString('latin1', 4, 8)));
  return [...kept, ...others];
};

/**
 * The fields of a sound description in QuickTime: `plain` has those of version 0, and `packed` has those of version 1,
 * with the number of samples and of bytes per packet.
 */
const plain = (channels: number, bits: number) => uint32s(0, 0, (channels << 16) | bits, 0, 44_100 << 16);
const packed = (samples: number, bytes: number) =>
  Buffer.concat([uint32s(1 << 16, 0, 0x10010, 0, 44_100 << 16), uint32s(samples, bytes, bytes, 2)]);

/** Returns the tables for samples of sound in one chunk. All samples have the same size in the table. */
const sound = (type: string, fields: Uint8Array, samples: number, size: number, start: number, each = 1): Tables => [
  descriptions([box(type, uint32s(0, 1), fields)]),
  box('stts', uint32s(0, 1, samples, each)),
  box('stsc', uint32s(0, 1, 1, samples, 1)),
  box('stsz', uint32s(0, size, samples)),
  box('stco', uint32s(0, 1, start)),
];

const COMPACT = { sizes: [1, 2, 3], perChunk: 3 };

/** Sample tables whose last sample ends at a given place in the file. */
const ENDS: readonly (readonly [string, (end: number) => Tables])[] = [
  ['samples of one chunk', (end) => sampleTables({ sizes: [3, 4], chunks: [end - 7], perChunk: 2 })],
  ['a chunk that is not the last', (end) => sampleTables({ sizes: [3, 4, 5], chunks: [0, end - 4, 9] })],
  ['a chunk with fewer samples than its run', (end) => sampleTables({ sizes: 25, chunks: [0, end - 5], perChunk: 20 })],
  ['a chunk in 64 bits', (end) => [...sampleTables().slice(0, 3), box('co64', uint32s(0, 1, 0, end - 1))]],
  [
    'runs of chunks',
    (end) => tables({ sizes: 7, chunks: [0, 9, end - 5] }, box('stsc', uint32s(0, 2, 1, 1, 1, 3, 5, 1))),
  ],
  ...[
    ['4', uint32s(0, 4, 3), Buffer.from([0x12, 0x30])] as const,
    ['8', uint32s(0, 8, 3), Buffer.from([1, 2, 3])] as const,
    ['16', uint32s(0, 16, 3), Buffer.from([0, 1, 0, 2, 0, 3])] as const,
  ].map(
    ([bits, ...content]) =>
      [
        `sizes of ${bits} bits`,
        (end: number) => [
          ...sampleTables({ ...COMPACT, chunks: [end - 6] }).filter((_, index) => index !== 2),
          box('stz2', ...content),
        ],
      ] as const,
  ),
  ['audio packets', (end) => sound('ima4', packed(64, 34), 128, 1, end - 68)],
  ['audio packets in an older description', (end) => sound('ima4', plain(2, 16), 128, 1, end - 136)],
  ['stereo audio samples declared as one byte', (end) => sound('sowt', plain(2, 16), 10, 1, end - 40)],
  ['stereo audio samples', (end) => sound('sowt', plain(2, 16), 10, 4, end - 40)],
  ['AC-3 of one size', (end) => sound('ac-3', packed(1536, 76), 2, 70, end - 140, 1536)],
];

describe('a video', () => {
  test.each([...ENDS])(
    'is accepted if its samples end with the file, and damaged if they reach beyond it: %s',
    async (_, tablesFor) => {
      const video = (end: number) => {
        const table = tablesFor(end);
        const isSound = table.some((one) => Buffer.from(one).includes('stsd'));
        return isSound ? movie(track(), track({ id: 2, handler: 'soun', table })) : of(table);
      };
      const { length } = video(5000);
      expect(await inspect(video(length))).toMatchObject(SMALL);
      expect(await inspect(video(length + 1))).toBe('damaged');
    },
  );
});

const MANY = 0xffffffff;
const BEHIND = 1_000_000;
const FILLING = Buffer.alloc(100);
const DATA = box('mdat', FILLING);
const of = (table: Tables) => movie(track({ table: [descriptions(), ...table] }));
const elsewhere = track({
  table: [descriptions([description()]), ...sampleTables({ chunks: [BEHIND] })],
  files: [box('url ', uint32s(0))],
});
const first = fragment({ samples: 10, at: 0 });
const start = Buffer.concat([FILE_TYPE, fragmentedMovie(track({ table: [descriptions()] }))]);
const last = fragment({ samples: 10, at: 1000 });
const cut = (bytes: Uint8Array, missing: number) => bytes.subarray(0, bytes.length - missing);
/** Returns a `sidx` box of version 0 with segments of these sizes. */
const index = (...sizes: readonly number[]) =>
  box('sidx', uint32s(0, 1, 1000, 0, 0, sizes.length, ...sizes.flatMap((size) => [size, 1000, 0])));
const whole = Buffer.concat([start, first, last]);

const TAKEN: readonly (readonly [string, Tables])[] = [
  ['samples in another file', [movie(elsewhere)]],
  ['a chunk without samples after the end', [of(sampleTables({ sizes: [1], chunks: [0, BEHIND] }))]],
  ['a chunk of empty samples after the end', [of(sampleTables({ sizes: [1, 0], chunks: [0, BEHIND] }))]],
  ['samples without a chunk', [of(sampleTables({ sizes: MANY }))]],
  ['a track without samples next to the video', [movie(track(), track({ id: 2, handler: 'text', table: [] }))]],
  ['media data to the end of the file', [movie(track()), boxHeader('mdat', 0), FILLING]],
  [
    'media data that is shorter than its box, with all samples in it',
    [movie(track()), boxHeader('mdat', 5000), FILLING],
  ],
  ['some bytes after the end', [movie(track()), Buffer.from('\r\n')]],
  ['text after the end', [movie(track()), Buffer.from('made by a telephone, and more of it')]],
  ['zeros after the end', [movie(track()), Buffer.alloc(5000)]],
  ...['free', 'skip', 'uuid'].map(
    (type) => [`a truncated ${type} box at the end`, [movie(track()), boxHeader(type, 500)]] as const,
  ),
  ['fragments to the end of the file', [whole]],
  ['zeros after fragments', [whole, Buffer.alloc(7)]],
  ['an index of fragments', [start, index(first.length, last.length), first, last]],
];

const REFUSED: readonly (readonly [string, Tables])[] = [
  ['four billion samples of one byte', [of(sampleTables({ sizes: MANY, perChunk: MANY }))]],
  ['four billion samples without a table of that size', [of(tables({}, box('stsz', uint32s(0, 0, MANY, 1))))]],
  ...['stts', 'stsc', 'stco'].map(
    (type) => [`four billion entries of ${type}`, [of(tables({}, box(type, uint32s(0, MANY, 1, 1))))]] as const,
  ),
  ['no samples at all', [movie(track({ table: [descriptions()] })), DATA]],
  ['nothing but an initialization segment', [start]],
  ['media data truncated before a movie', [FILE_TYPE, boxHeader('mdat', 5000), FILLING]],
  ['media data and no movie', [FILE_TYPE, DATA]],
  ['a truncated movie box', [FILE_TYPE, DATA, cut(box('moov', FILLING), 1)]],
  ['a last fragment without its data', [start, first, last.subarray(0, Buffer.from(last).indexOf('mdat') - 4)]],
  ['a fragment without its last byte', [cut(whole, 1)]],
  ['a truncated fragment box', [whole, cut(last, 120)]],
  ['a truncated fragment box header', [whole, last.subarray(0, 7)]],
  ['a truncated fragment box size', [whole, last.subarray(0, 4)]],
  ['an index of more fragments than the file has', [start, index(first.length, last.length), first]],
  ['a truncated index of random access points', [whole, boxHeader('mfra', 100), Buffer.alloc(50)]],
];

test.each([...TAKEN])('a video with %s is accepted', async (_, boxes) => {
  expect(await inspect(...boxes)).toMatchObject(SMALL);
});

test.each([...REFUSED])('a video with %s is damaged', async (_, boxes) => {
  const { source, bytes } = counted(sourceOf(Buffer.concat(boxes)));
  expect(await inspector.inspect(source)).toBe('damaged');
  expect(bytes()).toBeLessThan(100_000);
});

test('a video truncated anywhere is refused', async () => {
  for (const name of ['mp4', 'mp4-headers-last', 'mov', 'mp4-fragmented'] as const) {
    const bytes = await (await fixture(name)).bytes();
    for (let length = 40; length < bytes.length - 300; length += 97) {
      const answer = await inspector.inspect(sourceOf(bytes.subarray(0, length)));
      if (answer !== 'damaged' && answer !== null)
        throw new Error(`${length} of ${bytes.length} bytes of ${name} are taken.`);
    }
  }
});

const details = async (...boxes: readonly Uint8Array[]) => ((await inspect(...boxes)) as MediaFacts).details?.video;
const config = (type: string, ...content: readonly number[]) =>
  movie(track({ table: [descriptions([description(320, 240, box(type, Buffer.from(content)))]), ...sampleTables()] }));
const edited = (...list: readonly number[]) =>
  movie(track({ before: [box('edts', box('elst', uint32s(0, ...list)))] }));
const WHOLE = 2000;
/**
 * Returns an AVC configuration with a profile. `bits` encodes the id of the sequence parameter set, and after it the
 * chroma format.
 */
const avc = (profile: number, bits: number) =>
  config('avcC', 1, profile, 0, 30, 255, 0xe1, 0, 6, 0x67, profile, 0, 30, bits, 0);
const hevc = (format: number) => config('hvcC', ...Array.from({ length: 16 }, () => 0), 0xfc | format, 0);

describe('the details of a video', () => {
  const rows: readonly (readonly [string, Uint8Array, object])[] = [
    ['no codec box', movie(track()), { codec: 'avc', chroma: null, rotation: 0, editList: false, audio: null }],
    ['AVC, main profile', avc(77, 0), { chroma: '4:2:0' }],
    ['AVC, high profile', avc(100, 0b1_010_0000), { chroma: '4:2:0' }],
    ['AVC in monochrome', avc(100, 0b1_1_000000), { chroma: '4:0:0' }],
    ['AVC with 4:2:2', avc(122, 0b1_011_0000), { chroma: '4:2:2' }],
    ['AVC with 4:4:4 and an id of 1', avc(244, 0b010_00100), { chroma: '4:4:4' }],
    ['AVC without parameters', config('avcC', 1, 100, 0, 30, 255, 0xe0), { chroma: null }],
    ['HEVC with 4:2:2', hevc(2), { chroma: '4:2:2' }],
    ['VP9 with 4:4:4', config('vpcC', 1, 0, 0, 0, 1, 30, 0x86, 2, 2, 2), { chroma: '4:4:4' }],
    ['AV1 with 4:2:0', config('av1C', 0x81, 0, 0x0c, 0), { chroma: '4:2:0' }],
    ['AV1 in monochrome', config('av1C', 0x81, 0, 0x1c, 0), { chroma: '4:0:0' }],
    ['colours of HLG', config('colr', ...Buffer.from('nclx'), 0, 9, 0, 18, 0, 9, 0), { hdr: 'hlg' }],
    ['colours of PQ', config('colr', ...Buffer.from('nclc'), 0, 9, 0, 16, 0, 9), { hdr: 'pq' }],
    ['colours of BT.709', config('colr', ...Buffer.from('nclx'), 0, 1, 0, 1, 0, 1, 0), { hdr: null }],
    ['a truncated codec box', config('hvcC', 1), { chroma: null }],
    ['an edit list that shows all', edited(1, WHOLE, 0, 0x10000), { editList: false }],
    ['an edit list that shows all but a unit', edited(1, WHOLE - 1, 0, 0x10000), { editList: false }],
    ['an edit list without entries', edited(0), { editList: false }],
    ['an edit list that starts later', edited(1, WHOLE, 1, 0x10000), { editList: true }],
    ['an edit list that ends earlier', edited(1, WHOLE - 100, 0, 0x10000), { editList: true }],
    ['an edit list that is slower', edited(1, WHOLE, 0, 0x8000), { editList: true }],
    ['an edit list that starts with nothing', edited(2, 10, MANY, 0x10000, WHOLE, 0, 0x10000), { editList: true }],
    ['frames of 100 ms', movie(track()), { frameRate: 10, durationMs: 100, bitrate: 80 }],
    [
      'data before the movie',
      Buffer.concat([FILE_TYPE, DATA, movie(track()).subarray(FILE_TYPE.length)]),
      { moovFirst: false },
    ],
    ['data after the movie', Buffer.concat([movie(track()), DATA]), { moovFirst: true }],
  ];
  test.each([...rows])('are read for %s', async (_, video, expected) => {
    expect(await details(video)).toMatchObject(expected);
  });

  test('give constant frame rates exactly and variable ones on average', async () => {
    const times = (...runs: readonly number[]) =>
      details(of(tables({}, box('stts', uint32s(0, runs.length / 2, ...runs)))));
    const rates: readonly (readonly [readonly number[], number | null])[] = [
      [[300, 33], 30.303],
      [[1, 50, 298, 33, 1, 70], 30.303],
      [[150, 33, 150, 34], 29.851],
      [[1, 40], 25],
      [[10, 0], null],
    ];
    for (const [runs, rate] of rates) expect(await times(...runs)).toMatchObject({ frameRate: rate });
  });

  test('are read from real videos', async () => {
    const facts = { codec: 'avc', frameRate: 10, chroma: '4:2:0', rotation: 0 };
    const audio = { codec: 'aac', sampleRate: 44_100, channels: 1 };
    const videos = {
      mp4: { ...facts, audio, moovFirst: true, editList: true, durationMs: 2600 },
      'mp4-headers-last': { ...facts, audio, moovFirst: false },
      'mp4-fragmented': { ...facts, audio, moovFirst: true },
      mov: { ...facts, audio, moovFirst: false },
      'mp4-turned': { ...facts, rotation: 90, audio: null },
    } as const;
    for (const [name, expected] of Object.entries(videos)) {
      const file = await fixture(name as keyof typeof videos);
      expect(await details(await file.bytes())).toMatchObject(expected);
    }
  });
});
