import { deflateSync } from 'node:zlib';
import { pngChunk } from '@postshelf/testing/fixtures';
import { QUARTERS, quarterAt, type Size } from './quarters.ts';

/** Colour types (PNG, section 6.1). */
const [GREY, RGB, PALETTE, GREY_ALPHA, RGBA] = [0, 2, 3, 4, 6];

/** Number of samples of each colour type. */
const CHANNELS: Readonly<Record<number, number>> = { [GREY]: 1, [RGB]: 3, [PALETTE]: 1, [GREY_ALPHA]: 2, [RGBA]: 4 };

export const COLOURS = {
  'rgb 8': [RGB, 8],
  'rgb 16': [RGB, 16],
  'rgba 8': [RGBA, 8],
  'rgba 16': [RGBA, 16],
  'grey 1': [GREY, 1],
  'grey 2': [GREY, 2],
  'grey 4': [GREY, 4],
  'grey 8': [GREY, 8],
  'grey 16': [GREY, 16],
  'grey alpha 8': [GREY_ALPHA, 8],
  'grey alpha 16': [GREY_ALPHA, 16],
  'palette 1': [PALETTE, 1],
  'palette 2': [PALETTE, 2],
  'palette 4': [PALETTE, 4],
  'palette 8': [PALETTE, 8],
} as const satisfies Record<string, readonly [type: number, depth: number]>;

export type ColourName = keyof typeof COLOURS;

/** The passes of Adam7: the first column and row of each, and its steps (section 8.2). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const WHOLE = [[0, 0, 1, 1]] as const;

/** Opacity of the last quarter in formats with alpha. */
const ALPHA = 0.4;

export interface PngParts {
  readonly header: Uint8Array;
  /** `PLTE`, or nothing. */
  readonly palette: readonly Uint8Array[];
  /** The compressed image data. */
  readonly data: Uint8Array;
}

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
export const IEND = pngChunk('IEND', new Uint8Array());

/** Returns the quarters in any of the colour types and depths. */
export function pngParts(name: ColourName, size: Size, isInterlaced = false, colours = QUARTERS): PngParts {
  const [type, depth] = COLOURS[name];
  const rows: Uint8Array[] = [];
  for (const [left, top, across, down] of isInterlaced ? ADAM7 : WHOLE) {
    const width = Math.ceil((size.width - left) / across);
    if (width <= 0) continue;
    for (let y = top; y < size.height; y += down) {
      const quarters = Array.from({ length: width }, (_, index) => quarterAt(left + index * across, y, size));
      rows.push(
        rowOf(
          quarters.flatMap((quarter) => samplesOf(type, depth, quarter, colours)),
          depth,
        ),
      );
    }
  }
  return {
    header: pngHeader(size, type, depth, isInterlaced),
    palette: type === PALETTE ? [paletteChunk(1 << depth, colours)] : [],
    data: deflateSync(Buffer.concat(rows)),
  };
}

export function pngHeader({ width, height }: Size, type: number, depth: number, isInterlaced = false): Uint8Array {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content.set([depth, type, 0, 0, isInterlaced ? 1 : 0], 8);
  return pngChunk('IHDR', content);
}

/**
 * Returns a palette with one entry for each quarter, but at most `max` entries. With one bit per pixel, there are only
 * two entries, so two quarters share each of them.
 */
export const paletteChunk = (max = 4, colours = QUARTERS): Uint8Array =>
  pngChunk('PLTE', Buffer.from(colours.slice(0, max).flat()));

/** Returns the samples of a pixel, each of `depth` bits. */
function samplesOf(type: number, depth: number, quarter: 0 | 1 | 2 | 3, colours: typeof QUARTERS): readonly number[] {
  const max = 2 ** depth - 1;
  if (type === PALETTE) return [quarter % 2 ** depth];
  const [red, green, blue] = colours[quarter];
  const scale = (value: number) => Math.round((value / 255) * max);
  const grey = scale(0.299 * red + 0.587 * green + 0.114 * blue);
  const alpha = CHANNELS[type] === 2 || CHANNELS[type] === 4 ? [quarter === 3 ? Math.round(ALPHA * max) : max] : [];
  return [...(type === GREY || type === GREY_ALPHA ? [grey] : [scale(red), scale(green), scale(blue)]), ...alpha];
}

/** Returns a line with filter type 0, and the samples packed into bytes. */
function rowOf(samples: readonly number[], depth: number): Uint8Array {
  const bytes = Buffer.alloc(1 + Math.ceil((samples.length * depth) / 8));
  for (const [index, sample] of samples.entries()) {
    if (depth === 16) bytes.writeUInt16BE(sample, 1 + 2 * index);
    else {
      const bit = index * depth;
      const at = 1 + (bit >> 3);
      bytes[at] = (bytes[at] ?? 0) | (sample << (8 - depth - (bit & 7)));
    }
  }
  return bytes;
}
