/** Returns these numbers as big-endian 32-bit numbers. */
export function uint32s(...numbers: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, 4 * index);
  return bytes;
}

/** Returns a box of an ISO base media file (ISO/IEC 14496-12, section 4.2). */
export function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content);
  return Buffer.concat([boxHeader(type, 8 + body.length), body]);
}

/** Returns the first eight bytes of a box, with any claimed length. */
export const boxHeader = (type: string, size: number): Uint8Array =>
  Buffer.concat([uint32s(size), Buffer.from(type, 'latin1')]);

/** Returns the bytes, such as a box, repeated `count` times. */
export const times = (count: number, bytes: Uint8Array): Uint8Array =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

const UNITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000] as const;
const PER_SECOND = 1000;
const WIDTH = 320;
const HEIGHT = 240;

export const FILE_TYPE = box('ftyp', Buffer.from('isom\0\0\0\0isom'));

/** Returns an `mvhd` box of version 0. The duration is in milliseconds. */
export const movieHeader = (duration: number, timescale = PER_SECOND): Uint8Array =>
  box('mvhd', uint32s(0, 0, 0, timescale, duration, 0x10000, 0x1000000, 0, 0, ...UNITY, 0, 0, 0, 0, 0, 0, 2));

/** Returns an `avc1` box: a description, by default of 320 × 240 pixels. */
export const description = (width = WIDTH, height = HEIGHT, ...more: readonly Uint8Array[]): Uint8Array =>
  descriptionOf('avc1', width, height, ...more);

/** Returns the description of video samples in any codec. */
export function descriptionOf(type: string, width = WIDTH, height = HEIGHT, ...more: readonly Uint8Array[]) {
  const head = Buffer.alloc(78);
  head.writeUInt16BE(1, 6); // Uses the first data reference.
  head.writeUInt16BE(width, 24);
  head.writeUInt16BE(height, 26);
  return box(type, head, ...more);
}

/** Returns an `stsd` box, which may claim more or fewer descriptions than it contains. */
export const descriptions = (entries: readonly Uint8Array[] = [description()], claimed = entries.length): Uint8Array =>
  box('stsd', uint32s(0, claimed), ...entries);

export interface TableOptions {
  /** The size of each sample. A number means this many samples of one byte. */
  readonly sizes?: readonly number[] | number;
  /** The offset of each chunk. */
  readonly chunks?: readonly number[];
  /** The number of samples per chunk. */
  readonly perChunk?: number;
  /** The milliseconds of each sample. */
  readonly each?: number;
}

/**
 * Returns sample tables. By default, there is one sample, which lasts 100 ms and consists of the first byte of the
 * file.
 */
export function sampleTables({
  sizes = 1,
  chunks = [0],
  perChunk = 1,
  each = 100,
}: TableOptions = {}): readonly Uint8Array[] {
  const count = typeof sizes === 'number' ? sizes : sizes.length;
  return [
    box('stts', uint32s(0, 1, count, each)),
    box('stsc', uint32s(0, 1, 1, perChunk, 1)),
    box('stsz', typeof sizes === 'number' ? uint32s(0, 1, sizes) : uint32s(0, 0, count, ...sizes)),
    box('stco', uint32s(0, chunks.length, ...chunks)),
  ];
}

export interface TrackOptions {
  readonly id?: number;
  readonly handler?: string;
  readonly enabled?: boolean;
  readonly matrix?: readonly number[];
  /** The duration in milliseconds. */
  readonly duration?: number;
  /** The boxes in `trak` between its header and `mdia`. */
  readonly before?: readonly Uint8Array[];
  /** The files that may contain samples: the boxes of `dref`. The default is this file. */
  readonly files?: readonly Uint8Array[];
  /** The content of `stbl`. */
  readonly table?: readonly Uint8Array[];
}

/** Returns a `trak` box. */
export function track(options: TrackOptions = {}): Uint8Array {
  const { id = 1, handler = 'vide', enabled = true, matrix = UNITY, duration = 2000 } = options;
  const header = uint32s(enabled ? 7 : 6, 0, 0, id, 0, duration, 0, 0, 0, 0, ...matrix, WIDTH << 16, HEIGHT << 16);
  return box(
    'trak',
    box('tkhd', header),
    ...(options.before ?? []),
    box(
      'mdia',
      box('mdhd', uint32s(0, 0, 0, PER_SECOND, duration, 0)),
      box('hdlr', uint32s(0, 0), Buffer.from(handler), Buffer.alloc(13)),
      box('minf', ...references(options.files), box('stbl', ...(options.table ?? [descriptions(), ...sampleTables()]))),
    ),
  );
}

const references = (files: readonly Uint8Array[] | undefined): readonly Uint8Array[] =>
  files ? [box('dinf', box('dref', uint32s(0, files.length), ...files))] : [];

/** Returns the `moov` box of a file whose samples are in fragments. */
export const fragmentedMovie = (...tracks: readonly Uint8Array[]): Uint8Array =>
  box('moov', movieHeader(0), ...tracks, box('mvex', box('trex', uint32s(0, 1, 1, 100, 10, 0))));

export interface FragmentOptions {
  readonly samples: number;
  /** The start of the fragment in milliseconds. If it is omitted, the fragment doesn't declare its start. */
  readonly at?: number;
  readonly track?: number;
}

/**
 * Returns a `moof` box of samples that last 100 ms and have 10 bytes each, followed by an `mdat` box with these
 * samples.
 */
export function fragment(
  { samples, at, track: id = 1 }: FragmentOptions,
  data = Buffer.alloc(10 * samples),
): Uint8Array {
  const head = [box('tfhd', uint32s(0x020000, id)), ...(at === undefined ? [] : [box('tfdt', uint32s(0, at))])];
  const run = (offset: number) => box('moof', box('traf', ...head, box('trun', uint32s(1, samples, offset))));
  return Buffer.concat([run(run(0).length + 8), box('mdat', data)]);
}

/** Returns a complete small video with a single sample of 100 ms. The headers declare two seconds. */
export const movie = (...content: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([FILE_TYPE, box('moov', movieHeader(2000), ...content)]);
