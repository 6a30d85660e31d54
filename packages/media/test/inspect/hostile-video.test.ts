import { describe, expect, test } from 'bun:test';
import type { MediaFacts } from '@postshelf/domain';
import { sourceOf } from '@postshelf/testing/fixtures';
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
  movieHeader,
  sampleTables,
  times,
  track,
  uint32s,
} from '../support/boxes.ts';
import { counted, endless, READ_BUDGET } from '../support/sources.ts';

const inspector = createMediaInspector();
const inspect = (...boxes: readonly Uint8Array[]) => inspector.inspect(sourceOf(Buffer.concat(boxes)));
const small = (time: number) => ({ type: 'video/mp4', width: 320, height: 240, time }) as const;

const MB = 1_000_000;
const BILLIONS = 0xffffffff;
const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];

const [, ...placed] = sampleTables();
/** Returns the boxes of a video whose samples have no times. */
const untimed = (duration: number, timescale?: number, ofTrack = 7000) => [
  FILE_TYPE,
  box('moov', movieHeader(duration, timescale), track({ duration: ofTrack, table: [descriptions(), ...placed] })),
];
const lasting = (each: number, duration = each, ofTrack = each) => [
  FILE_TYPE,
  box('moov', movieHeader(duration), track({ duration: ofTrack, table: [descriptions(), ...sampleTables({ each })] })),
];
const fragments = (...all: readonly Uint8Array[]) => [FILE_TYPE, fragmentedMovie(track()), ...all];
/** Returns four seconds of video, and a second track whose samples start after a minute and have no duration. */
const besides = (enabled: boolean, handler: string) => [
  FILE_TYPE,
  fragmentedMovie(track(), track({ id: 2, handler, enabled })),
  fragment({ samples: 40, at: 0 }),
  fragment({ samples: 10, at: 60_000, track: 2 }),
];
const sized = (width: number, enabled: boolean, id: number) =>
  track({ id, enabled, table: [descriptions([description(width, 100)]), ...sampleTables()] });
const sound = track({ id: 9, handler: 'soun' });
const content = Buffer.concat([movieHeader(2000), track()]);
const wide = description(320, 240, box('pasp', uint32s(4, 3)));

const READ: readonly (readonly [string, readonly Uint8Array[], object])[] = [
  ['a small video', [movie(track())], small(1)],
  [
    'a box whose length is given in 64 bits',
    [FILE_TYPE, boxHeader('moov', 1), uint32s(0, 16 + content.length), content],
    small(1),
  ],
  ['a last box that reaches to the end of the file', [FILE_TYPE, boxHeader('moov', 0), content], small(1)],
  ['a rotation', [movie(track({ matrix: QUARTER_TURN }))], { width: 240, height: 320 }],
  [
    'non-square pixels',
    [movie(track({ table: [descriptions([wide]), ...sampleTables()] }))],
    { width: 427, height: 240 },
  ],
  [
    'the first enabled video track',
    [movie(sound, sized(10, false, 1), sized(20, true, 2), sized(30, true, 3))],
    { width: 20 },
  ],
  ['the only video track, although disabled', [movie(sound, sized(10, false, 1))], { width: 10 }],
  ['1 ms as 1 s', lasting(1), small(1)],
  ['499 ms as 1 s', lasting(499), small(1)],
  ['1,499 ms as 1 s', lasting(1499), small(1)],
  ['1,500 ms as 2 s', lasting(1500), small(2)],
  ['an hour', lasting(3_600_499), small(3600)],
  ['the duration of the samples if all headers have none', lasting(3000, 0, 0), small(3)],
  ['the duration of the samples if all headers leave it open', lasting(3000, BILLIONS, BILLIONS), small(3)],
  ['the duration of the samples if all headers announce more', lasting(3000, 3_600_000, 3_600_000), small(3)],
  ['the duration of the samples if all headers announce less', lasting(3000, 500, 500), small(3)],
  ['the duration of the track if the samples have none', untimed(1000), small(7)],
  ['the duration of the movie if samples and track have none', untimed(4000, 1000, 0), small(4)],
  ['the duration of the movie if that of the track is unknown', untimed(4000, 1000, BILLIONS), small(4)],
  ['68 years', untimed(2 ** 31 - 1, 1, 0), small(2 ** 31 - 1)],
  [
    'the end of the last fragment',
    fragments(fragment({ samples: 10, at: 0 }), fragment({ samples: 10, at: 1000 })),
    small(2),
  ],
  ['the sum of fragments without start times', fragments(times(30, fragment({ samples: 10 }))), small(30)],
  ['fragments with audio that ends later', besides(true, 'soun'), small(60)],
  ['fragments, but not those of disabled audio', besides(false, 'soun'), small(4)],
  ['fragments, but not those of a track of text', besides(true, 'text'), small(4)],
  [
    'fragments that start an hour late',
    [FILE_TYPE, fragmentedMovie(track({ table: [descriptions()] })), fragment({ samples: 40, at: 3_600_000 })],
    small(4),
  ],
];

test.each([...READ])('the inspector reads %s', async (_, boxes, facts) => {
  expect(await inspect(...boxes)).toMatchObject(facts);
});

const REFUSED: readonly unknown[] = [null, 'damaged'];
const endlessly = Buffer.concat([boxHeader('free', 1), uint32s(BILLIONS, BILLIONS)]);
const largeDescription = description(320, 240, box('free', Buffer.alloc(65_536)));
const nested = (type: string, depth: number) =>
  Buffer.concat(Array.from({ length: depth }, (_, level) => boxHeader(type, 8 * (depth - level))));

const CLAIMS: readonly (readonly [string, readonly Uint8Array[]])[] = [
  ['more than 68 years', untimed(2 ** 31, 1, 0)],
  ['billions of samples in a fragment', fragments(fragment({ samples: BILLIONS, at: 0 }, Buffer.alloc(10)))],
  ['billions of descriptions', [movie(track({ table: [descriptions([description()], BILLIONS), ...sampleTables()] }))]],
  ['a header of megabytes', [FILE_TYPE, box('moov', box('mvhd', Buffer.alloc(2 * MB)), track())]],
  ['a description of 64 kB', [movie(track({ table: [descriptions([largeDescription]), ...sampleTables()] }))]],
  ['hundreds of tracks', [movie(times(300, track()))]],
  ['a box longer than any file', [FILE_TYPE, endlessly, movie(track())]],
  ...[2, 7, 100_000, 0x7fffffff, BILLIONS].map(
    (size) =>
      [
        `a track of ${size} bytes, less than its header or more than its parent`,
        [FILE_TYPE, box('moov', movieHeader(2000), boxHeader('trak', size), track())],
      ] as const,
  ),
  ...['moov', 'trak', 'mdia', 'wave', 'sinf'].map(
    (type) => [`100,000 nested ${type} boxes`, [FILE_TYPE, nested(type, 100_000)]] as const,
  ),
];

test.each([...CLAIMS])('the inspector refuses a file that claims %s', async (_, boxes) => {
  expect(REFUSED).toContain(await inspect(...boxes));
});

test('the inspector survives 8,000 nested boxes in a description', async () => {
  for (const type of ['moov', 'trak', 'mdia', 'wave', 'sinf']) {
    const deep = track({ table: [descriptions([description(320, 240, nested(type, 8000))]), ...sampleTables()] });
    expect([null, 1]).toContain(((await inspect(movie(deep))) as MediaFacts | null)?.time ?? null);
  }
});

/** Returns a video whose last table claims this many bytes more than it has. */
function withLongTable(video: Uint8Array, more: number): Uint8Array {
  const bytes = Buffer.from(video);
  for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz']) {
    const at = bytes.lastIndexOf(type) - 4;
    bytes.writeUInt32BE(bytes.readUInt32BE(at) + more, at);
  }
  return bytes;
}

describe('an endless video', () => {
  const chunk = [box('stsc', uint32s(0, 1, 1, BILLIONS, 1)), box('stco', uint32s(0, 1, 0))];
  const sizes = box('stsz', uint32s(0, 0, 250 * MB));
  const longTable = withLongTable(movie(track({ table: [descriptions(), ...chunk, sizes] })), 1000 * MB);
  const movieOf190Mb = Buffer.concat([FILE_TYPE, boxHeader('moov', 190 * MB)]);
  const start = Buffer.concat([FILE_TYPE, fragmentedMovie(track())]);
  const cases: [string, Uint8Array, Uint8Array][] = [
    ['a movie of 190 MB, all zeros', movieOf190Mb, Buffer.alloc(1)],
    ['a movie of 190 MB, all empty boxes', movieOf190Mb, box('free')],
    ['a movie of 190 MB, all tracks', movieOf190Mb, track()],
    ['a table of the sizes of 250 million empty samples', longTable, Buffer.alloc(1)],
    ['empty boxes', FILE_TYPE, box('free')],
    ['boxes of a kilobyte', FILE_TYPE, box('free', Buffer.alloc(1016))],
    ['fragments without start times', start, fragment({ samples: 1 })],
    ['fragments that all start at the same time', start, fragment({ samples: 100, at: 0 })],
    ['fragments of other tracks', start, fragment({ samples: 100, at: 0, track: 2 })],
  ];

  test.each(cases)('is unreadable and not read completely: %s', async (_, head, pattern) => {
    const { source, bytes } = counted(endless(head, pattern));
    expect(await inspector.inspect(source)).toBeNull();
    expect(bytes()).toBeLessThan(READ_BUDGET);
  });
});
