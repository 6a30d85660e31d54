import { describe, expect, test } from 'bun:test';
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
  times,
  track,
  uint32s,
} from '../support/boxes.ts';
import { counted, endless, READ_BUDGET } from '../support/sources.ts';

/** Far more than it takes, for machines that are busy with much else. */
const TIMEOUT_MS = 60_000;

const inspector = createMediaInspector();
const inspect = (...boxes: readonly Uint8Array[]) => inspector.inspect(sourceOf(Buffer.concat(boxes)));
const small = (time: number) => ({ type: 'video/mp4', width: 320, height: 240, time }) as const;

const MB = 1_000_000;
const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];

describe('what is read', () => {
  test('a small video', async () => {
    expect(await inspect(movie(track()))).toEqual(small(2));
  });

  test('a box whose length is given in 64 bits', async () => {
    const content = Buffer.concat([movieHeader(2000), track()]);
    const header = Buffer.concat([boxHeader('moov', 1), uint32s(0, 16 + content.length)]);
    expect(await inspect(FILE_TYPE, header, content)).toEqual(small(2));
  });

  test('a last box that reaches to the end of the file', async () => {
    expect(await inspect(FILE_TYPE, boxHeader('moov', 0), movieHeader(2000), track())).toEqual(small(2));
  });

  test('a rotation', async () => {
    expect(await inspect(movie(track({ matrix: QUARTER_TURN })))).toMatchObject({ width: 240, height: 320 });
  });

  test('pixels that are not square', async () => {
    const wide = description(320, 240, box('pasp', uint32s(4, 3)));
    expect(await inspect(movie(track({ table: [descriptions([wide])] })))).toMatchObject({ width: 427, height: 240 });
  });

  test('the first video track that is switched on', async () => {
    const of = (width: number, enabled: boolean, id: number) =>
      track({ id, enabled, table: [descriptions([description(width, 100)])] });
    const sound = track({ id: 9, handler: 'soun' });
    const tracks = [sound, of(10, false, 1), of(20, true, 2), of(30, true, 3)];
    expect(await inspect(movie(...tracks))).toMatchObject({ width: 20 });
    expect(await inspect(movie(sound, of(10, false, 1)))).toMatchObject({ width: 10 });
  });
});

describe('duration', () => {
  const lasting = (milliseconds: number, timescale?: number, duration = 7000) =>
    inspect(FILE_TYPE, box('moov', movieHeader(milliseconds, timescale), track({ duration })));

  test.each([
    [1, 1],
    [499, 1],
    [1499, 1],
    [1500, 2],
    [3_600_499, 3600],
  ])('of %d ms is %d s', async (milliseconds, seconds) => {
    expect(await lasting(milliseconds)).toEqual(small(seconds));
  });

  test('is that of the track where the movie has none', async () => {
    expect(await lasting(0)).toEqual(small(7));
    expect(await lasting(0xffffffff)).toEqual(small(7));
    expect(await lasting(1000, 0)).toEqual(small(7));
  });

  test('may be long, but not endless', async () => {
    expect(await lasting(2 ** 31 - 1, 1)).toEqual(small(2 ** 31 - 1));
    expect(await lasting(2 ** 31, 1)).toBeNull();
  });

  test('of a fragmented video is the end of its last fragment', async () => {
    const fragments = [fragment({ samples: 10, at: 0 }), fragment({ samples: 10, at: 1000 })];
    expect(await inspect(FILE_TYPE, fragmentedMovie(track()), ...fragments)).toEqual(small(2));
  });

  test('of fragments that do not say when they begin is their sum', async () => {
    const fragments = times(30, fragment({ samples: 10 }));
    expect(await inspect(FILE_TYPE, fragmentedMovie(track()), fragments)).toEqual(small(30));
  });

  test('is not that of another track', async () => {
    const other = fragment({ samples: 10, at: 60_000, track: 2 });
    const tracks = fragmentedMovie(track(), track({ id: 2, handler: 'soun' }));
    expect(await inspect(FILE_TYPE, tracks, fragment({ samples: 40, at: 0 }), other)).toEqual(small(4));
  });
});

describe('what a few bytes claim', () => {
  const BILLIONS = 0xffffffff;

  test('billions of samples in the tables: they are not read', async () => {
    const tables = ['stts', 'ctts', 'stsz', 'stsc', 'stco', 'stss'].map((type) =>
      box(type, uint32s(0, 1, BILLIONS, 1)),
    );
    expect(await inspect(movie(track({ table: [descriptions(), ...tables] })))).toEqual(small(2));
    const lengths = ['stts', 'ctts', 'stsz', 'stsc', 'stco', 'stss'].map((type) => box(type, uint32s(0, BILLIONS)));
    expect(await inspect(movie(track({ table: [descriptions(), ...lengths] })))).toEqual(small(2));
  });

  test('billions of samples in a fragment', async () => {
    const bomb = fragment({ samples: BILLIONS, at: 0 });
    expect(await inspect(FILE_TYPE, fragmentedMovie(track()), bomb)).toBeNull();
  });

  test('millions of samples in several fragments', async () => {
    const bomb = times(16, fragment({ samples: 65_536 }));
    expect(await inspect(FILE_TYPE, fragmentedMovie(track()), bomb)).toBeNull();
  });

  test('billions of descriptions', async () => {
    expect(await inspect(movie(track({ table: [descriptions([description()], BILLIONS)] })))).toBeNull();
  });

  test('boxes in boxes in boxes', async () => {
    const nested = (type: string, depth: number) => {
      const headers = Array.from({ length: depth }, (_, level) => boxHeader(type, 8 * (depth - level)));
      return Buffer.concat(headers);
    };
    for (const type of ['moov', 'trak', 'mdia', 'wave', 'sinf']) {
      expect(await inspect(FILE_TYPE, nested(type, 100_000))).toBeNull();
      const deep = track({ table: [descriptions([description(320, 240, nested(type, 8000))])] });
      expect([null, 2]).toContain((await inspect(movie(deep)))?.time ?? null);
    }
  });

  test('a box shorter than its header, longer than its parent, longer than anything', async () => {
    for (const size of [2, 7, 100_000, 0x7fffffff, BILLIONS]) {
      expect(await inspect(FILE_TYPE, box('moov', movieHeader(2000), boxHeader('trak', size), track()))).toBeNull();
    }
    const endlessly = Buffer.concat([boxHeader('free', 1), uint32s(BILLIONS, BILLIONS)]);
    expect(await inspect(FILE_TYPE, endlessly, movie(track()))).toBeNull();
  });

  test('headers of megabytes', async () => {
    const long = box('mvhd', Buffer.alloc(2 * MB));
    expect(await inspect(FILE_TYPE, box('moov', long, track()))).toBeNull();
    const description64K = description(320, 240, box('free', Buffer.alloc(65_536)));
    expect(await inspect(movie(track({ table: [descriptions([description64K])] })))).toBeNull();
  });

  test('hundreds of tracks', async () => {
    expect(await inspect(movie(times(300, track())))).toBeNull();
  });
});

describe('without end', () => {
  const movieOf190Mb = Buffer.concat([FILE_TYPE, boxHeader('moov', 190 * MB)]);
  const start = Buffer.concat([FILE_TYPE, fragmentedMovie(track())]);
  const cases: [string, Uint8Array, Uint8Array][] = [
    ['a movie of 190 MB, all zeros', movieOf190Mb, Buffer.alloc(1)],
    ['a movie of 190 MB, all empty boxes', movieOf190Mb, box('free')],
    ['a movie of 190 MB, all tracks', movieOf190Mb, track()],
    ['empty boxes', FILE_TYPE, box('free')],
    ['boxes of a kilobyte', FILE_TYPE, box('free', Buffer.alloc(1016))],
    ['fragments that do not say when they begin', start, fragment({ samples: 1 })],
    ['fragments that all begin at once', start, fragment({ samples: 100, at: 0 })],
    ['fragments of other tracks', start, fragment({ samples: 100, at: 0, track: 2 })],
  ];

  test.each(cases)(
    '%s: null, and not read whole',
    async (_, head, pattern) => {
      const { source, bytes } = counted(endless(head, pattern));
      expect(await inspector.inspect(source)).toBeNull();
      expect(bytes()).toBeLessThan(READ_BUDGET);
    },
    TIMEOUT_MS,
  );
});
