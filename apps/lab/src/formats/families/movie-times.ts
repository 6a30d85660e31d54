import { type Box, below, box, contentOf, type Movie, parent, uint32s } from '../parts/movie.ts';

export const EDITS = [
  'as encoded',
  'none',
  'skips half a second',
  'half a second of nothing first',
  'shorter than the media',
  'of version 1',
  'a second out of the middle',
  'at half the speed',
  'past the end',
] as const;

export const HEADERS = [
  'right',
  'movie 0',
  'media 0',
  'all 0',
  'movie all ones',
  'all ones',
  'movie too long',
  'movie too short',
  'track 0',
] as const;

/** Offsets in headers of version 0 (ISO/IEC 14496-12, sections 8.2.2, 8.3.2 and 8.4.2). */
const [TIMESCALE, DURATION, TRACK_DURATION] = [12, 16, 20];
const ALL_ONES = 0xffffffff;

/**
 * Changes the edit lists and the durations in the headers of a movie.
 *
 * @returns false if the movie is too short for the edit
 */
export function changeTimes(movie: Movie, edits: (typeof EDITS)[number], headers: (typeof HEADERS)[number]): boolean {
  const movieHeader = contentOf(movie.get('moov'), 'mvhd');
  if (edits !== 'as encoded') {
    const seconds = movieHeader.readUInt32BE(DURATION) / movieHeader.readUInt32BE(TIMESCALE);
    // The edit could cut away the whole movie.
    if (seconds < 1.6 && edits !== 'none') return false;
    for (const track of movie.tracks('vide')) edit(track, edits, movieHeader.readUInt32BE(TIMESCALE));
    const tracks = movie.get('moov').children.filter(({ type }) => type === 'trak');
    const longest = Math.max(...tracks.map((track) => contentOf(track, 'tkhd').readUInt32BE(TRACK_DURATION)));
    movieHeader.writeUInt32BE(longest, DURATION);
  }
  changeHeaders(movie, headers);
  return true;
}

/**
 * An edit: its length in seconds of the movie, and the second of the media at which it starts, or null for an empty
 * edit.
 */
type Edit = readonly [seconds: number, from: number | null];

function edit(track: Box, edits: Exclude<(typeof EDITS)[number], 'as encoded'>, movieScale: number): void {
  const media = contentOf(track, 'mdia', 'mdhd');
  const scale = media.readUInt32BE(TIMESCALE);
  const seconds = media.readUInt32BE(DURATION) / scale;
  const old = below(track, 'edts', 'elst')?.content;
  // If frames are coded in a different order than they are shown in, the first frame's media time isn't 0.
  const start = old ? old.readInt32BE(12) / scale : 0;
  track.children = track.children.filter(({ type }) => type !== 'edts');
  const lists: Readonly<Record<typeof edits, readonly Edit[]>> = {
    none: [],
    'skips half a second': [[seconds - 0.5, start + 0.5]],
    'half a second of nothing first': [
      [0.5, null],
      [seconds, start],
    ],
    'shorter than the media': [[seconds - 1.1, start]],
    'of version 1': [[seconds, start]],
    'a second out of the middle': [
      [0.8, start],
      [seconds - 1.8, start + 1.8],
    ],
    'at half the speed': [[2 * seconds, start]],
    'past the end': [[seconds + 3, start]],
  };
  const list = lists[edits];
  const shown = list.reduce((sum, [length]) => sum + length, 0);
  contentOf(track, 'tkhd').writeUInt32BE(
    Math.round((list.length === 0 ? seconds : shown) * movieScale),
    TRACK_DURATION,
  );
  if (list.length === 0) return;
  const rate = edits === 'at half the speed' ? 0x8000 : 0x10000;
  const isLong = edits === 'of version 1';
  const entries = list.map(([length, from]) => {
    const values = [Math.round(length * movieScale), from === null ? -1 : Math.round(from * scale)];
    if (!isLong) return uint32s(...values, rate);
    const wide = Buffer.alloc(16);
    for (const [index, value] of values.entries()) wide.writeBigInt64BE(BigInt(value), 8 * index);
    return Buffer.concat([wide, uint32s(rate)]);
  });
  const content = Buffer.concat([uint32s(isLong ? 0x01000000 : 0, list.length), ...entries]);
  track.children.splice(1, 0, parent('edts', box('elst', content)));
}

function changeHeaders(movie: Movie, headers: (typeof HEADERS)[number]): void {
  const movieHeader = contentOf(movie.get('moov'), 'mvhd');
  const right = movieHeader.readUInt32BE(DURATION);
  const everywhere = (value: number) => ({ movie: value, media: value, track: value });
  const values: { readonly movie?: number; readonly media?: number; readonly track?: number } = {
    right: {},
    'movie 0': { movie: 0 },
    'media 0': { media: 0 },
    'track 0': { track: 0 },
    'all 0': everywhere(0),
    'movie all ones': { movie: ALL_ONES },
    'all ones': everywhere(ALL_ONES),
    'movie too long': { movie: right + 20_000 },
    'movie too short': { movie: right >> 1 },
  }[headers];
  if (values.movie !== undefined) movieHeader.writeUInt32BE(values.movie, DURATION);
  for (const track of movie.get('moov').children.filter(({ type }) => type === 'trak')) {
    if (values.media !== undefined) contentOf(track, 'mdia', 'mdhd').writeUInt32BE(values.media, DURATION);
    if (values.track !== undefined) contentOf(track, 'tkhd').writeUInt32BE(values.track, TRACK_DURATION);
  }
}
