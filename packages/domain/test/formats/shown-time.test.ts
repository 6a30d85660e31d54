import { describe, expect, test } from 'bun:test';
import { type BoxNode, type ParentBox, Span, shownSeconds, TrackClock } from '@postshelf/domain/formats';
import fc from 'fast-check';

const uint32s = (...numbers: readonly number[]): Uint8Array => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, 4 * index);
  return bytes;
};
const box = (type: string, ...numbers: readonly number[]): BoxNode => ({ type, content: uint32s(...numbers) });

const [MOVIE_SCALE, SCALE, NOTHING, NORMAL] = [1000, 10_000, 0xffffffff, 0x10000];
type Edit = readonly [duration: number, from: number];

interface TrackSpec {
  readonly handler?: string;
  readonly enabled?: boolean;
  readonly edits?: readonly Edit[];
  readonly announced?: number;
  /** The start and the end in units of the track. */
  readonly span?: readonly [number, number];
}

const trackOf = ({ handler = 'vide', enabled = true, edits, announced = 0 }: TrackSpec): ParentBox => ({
  type: 'trak',
  children: [
    box('tkhd', enabled ? 1 : 0, 0, 0, 1),
    ...(edits
      ? [
          {
            type: 'edts',
            children: [box('elst', 0, edits.length, ...edits.flatMap(([length, from]) => [length, from, NORMAL]))],
          },
        ]
      : []),
    {
      type: 'mdia',
      children: [
        box('mdhd', 0, 0, 0, SCALE, announced),
        { type: 'hdlr', content: Buffer.from(`\0\0\0\0\0\0\0\0${handler}`) },
      ],
    },
  ],
});

/** Returns for how many seconds a video with these tracks is shown. The first track is the one that is shown. */
function seconds(specs: readonly TrackSpec[], { announced = 0, isFragmented = false } = {}): number {
  const tracks = specs.map(trackOf);
  const children = [
    box('mvhd', 0, 0, 0, MOVIE_SCALE, announced),
    ...tracks,
    ...(isFragmented ? [{ type: 'mvex', children: [] }] : []),
  ];
  const spans = new Map(
    specs.flatMap(({ span }, index) => {
      const [track, ends] = [tracks[index], new Span()];
      if (!track || !span) return [];
      ends.add(span[0], 1, span[1] - span[0]);
      return [[track, ends] as const];
    }),
  );
  const [shown] = tracks;
  if (shown === undefined) throw new Error('There is no track.');
  return shownSeconds({ type: 'moov', children }, shown, spans);
}

const HOUR = 3600 * SCALE;
const FRAGMENTED = { isFragmented: true };

describe('a player shows a movie', () => {
  const rows: readonly (readonly [string, readonly TrackSpec[], object, number])[] = [
    ['for as long as its samples', [{ span: [0, 26_000] }], {}, 2.6],
    ['regardless of what its headers claim', [{ span: [0, 26_000], announced: HOUR }], { announced: 3_600_000 }, 2.6],
    ['from its first frame if frames are reordered', [{ span: [2000, 28_000] }], {}, 2.6],
    ['from the start of its edit', [{ span: [2000, 28_000], edits: [[2600, 2000]] }], {}, 2.6],
    ['to the end of an edit that is shorter', [{ span: [0, 26_000], edits: [[1500, 0]] }], {}, 1.5],
    ['to the end of the media if an edit is longer', [{ span: [0, 26_000], edits: [[5600, 5000]] }], {}, 2.1],
    ['to the end of the media if an edit has no duration', [{ span: [0, 26_000], edits: [[0, 1000]] }], {}, 2.5],
    [
      'with the empty edit before it',
      [
        {
          span: [0, 26_000],
          edits: [
            [500, NOTHING],
            [2600, 0],
          ],
        },
      ],
      {},
      3.1,
    ],
    [
      'without the part that its two edits skip',
      [
        {
          span: [0, 26_000],
          edits: [
            [800, 0],
            [800, 18_000],
          ],
        },
      ],
      {},
      1.6,
    ],
    ['to the end of longer sound', [{ span: [0, 26_000] }, { handler: 'soun', span: [0, 42_000] }], {}, 4.2],
    [
      'to its own end if longer sound is disabled',
      [{ span: [0, 26_000] }, { handler: 'soun', enabled: false, span: [0, 42_000] }],
      {},
      2.6,
    ],
    [
      'to the end of disabled sound if all tracks are disabled',
      [
        { enabled: false, span: [0, 26_000] },
        { handler: 'soun', enabled: false, span: [0, 42_000] },
      ],
      {},
      4.2,
    ],
    [
      'to its own end if a text track is longer',
      [{ span: [0, 26_000] }, { handler: 'text', span: [0, 42_000] }],
      {},
      2.6,
    ],
    ['for the time that its track declares if samples have no times', [{ announced: 30_000 }], { announced: 9000 }, 3],
    [
      'for the time that its header declares if nothing else is known',
      [{ announced: NOTHING }],
      { announced: 9000 },
      9,
    ],
    ['for no time if nothing is known', [{}], { announced: NOTHING }, 0],
    [
      'in fragments, without the delay that its edit skips',
      [{ span: [800, 25_200], edits: [[0, 800]] }],
      FRAGMENTED,
      2.44,
    ],
    ['in fragments beyond the edit of the first one', [{ span: [0, 26_000], edits: [[400, 0]] }], FRAGMENTED, 2.6],
    ['in fragments without the earlier part of the stream', [{ span: [HOUR, HOUR + 40_000] }], FRAGMENTED, 4],
    [
      'in fragments from the first sample of any track',
      [{ span: [HOUR + 2000, HOUR + 42_000] }, { handler: 'soun', span: [HOUR, HOUR + 40_000] }],
      FRAGMENTED,
      4.2,
    ],
    [
      'in fragments regardless of declared durations',
      [{ span: [0, 26_000], announced: HOUR }],
      { ...FRAGMENTED, announced: 3_600_000 },
      2.6,
    ],
  ];
  test.each([...rows])('%s', (_, tracks, movie, expected) => {
    expect(seconds(tracks, movie)).toBeCloseTo(expected, 6);
  });

  test('regardless of when a stream began, and never for longer than its samples', () => {
    const number = fc.integer({ min: 0, max: 1_000_000 });
    const edit = fc.tuple(fc.integer({ min: 1, max: 100_000 }), number);
    fc.assert(
      fc.property(
        number,
        fc.integer({ min: 1, max: 1_000_000 }),
        number,
        edit,
        (start, length, later, [shown, from]) => {
          const at = (begin: number) => seconds([{ span: [begin, begin + length] }], { isFragmented: true });
          expect(at(start + later)).toBeCloseTo(at(start), 6);
          const edited = seconds([{ span: [0, length], edits: [[shown, Math.min(from, length - 1)]] }]);
          expect(edited).toBeGreaterThan(0);
          expect(edited).toBeLessThanOrEqual(Math.min(length / SCALE, shown / MOVIE_SCALE));
        },
      ),
    );
  });
});

test('a track clock adds any number of equal samples in one step, and applies their offsets', () => {
  const clock = new TrackClock();
  clock.add(1, 100, 200);
  clock.add(2, 100, -50);
  expect([clock.span.start, clock.span.end, clock.next]).toEqual([50, 300, 300]);
  clock.add(0xffffffff, 0xffffffff, 0);
  expect(clock.span.end).toBe(300 + 0xffffffff ** 2);
  expect(new Span().isEmpty).toBe(true);
});
