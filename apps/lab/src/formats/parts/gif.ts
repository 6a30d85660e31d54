import { Random } from '@postshelf/harness';
import { type Colour, quarterAt, type Size } from './quarters.ts';

export interface GifFrame extends Size {
  readonly left: number;
  readonly top: number;
  /** A palette of four colours for this frame. */
  readonly palette?: readonly Colour[];
  readonly isInterlaced?: boolean;
  /** The number of the quarter that is transparent. */
  readonly transparent?: 0 | 1 | 2 | 3;
  readonly disposal?: 0 | 1 | 2 | 3;
  /** The delay in hundredths of a second. */
  readonly delay?: number;
  /** The bits of the smallest code, 2 to 8. Default 2, enough for four colours. */
  readonly codeSize?: number;
  /** Default `LZW`. */
  readonly coding?: GifCoding;
  /** Whether pixels of other quarters are scattered in the frame, so that the dictionary of a large frame is filled. */
  readonly hasNoise?: boolean;
}

/** `plain` uses no dictionary. `full dictionary` keeps using a full dictionary instead of clearing it. */
export type GifCoding = 'LZW' | 'plain' | 'full dictionary' | 'no first clear code' | 'no end code';

export interface GifScreen extends Size {
  readonly version: '87a' | '89a';
  /** Four colours for all frames that have no palette. */
  readonly palette?: readonly Colour[];
  readonly background?: number;
}

/** The flags for a table of four colours (GIF89a, sections 18 and 20). */
const FOUR_COLOURS = 0x81;
const INTERLACED = 0x40;

export const GIF_TRAILER = Buffer.from([0x3b]);

export function gifScreen({ version, width, height, palette, background = 0 }: GifScreen): Uint8Array {
  const screen = Buffer.alloc(13);
  screen.write(`GIF${version}`, 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen.set([palette ? FOUR_COLOURS | 0x70 : 0x70, background, 0], 10);
  return Buffer.concat([screen, tableOf(palette)]);
}

const tableOf = (palette: readonly Colour[] = []): Uint8Array => Uint8Array.from(palette.flat());

/** Encodes a frame: a graphic control extension if one is needed, the image descriptor, the palette and the pixels. */
export function gifFrame(frame: GifFrame): Uint8Array {
  const { left, top, width, height, palette, isInterlaced = false, codeSize = 2, coding = 'LZW' } = frame;
  const header = Buffer.alloc(10);
  header[0] = 0x2c;
  for (const [index, value] of [left, top, width, height].entries()) header.writeUInt16LE(value, 1 + 2 * index);
  header[9] = (palette ? FOUR_COLOURS : 0) | (isInterlaced ? INTERLACED : 0);
  return Buffer.concat([
    ...graphicControl(frame),
    header,
    tableOf(palette),
    Buffer.from([codeSize]),
    subBlocks(pack(codesOf(indicesOf(frame, isInterlaced), codeSize, coding))),
  ]);
}

function graphicControl({ transparent, disposal = 0, delay }: GifFrame): readonly Uint8Array[] {
  if (transparent === undefined && delay === undefined && disposal === 0) return [];
  const flags = (disposal << 2) | (transparent === undefined ? 0 : 1);
  const control = Buffer.from([0x21, 0xf9, 4, flags, 0, 0, transparent ?? 0, 0]);
  control.writeUInt16LE(delay ?? 0, 4);
  return [control];
}

/** Returns each pixel's colour index, which is the number of its quarter. */
function indicesOf(size: GifFrame, isInterlaced: boolean): readonly number[] {
  const noise = new Random(size.width);
  const rows = Array.from({ length: size.height }, (_, y) => y);
  const ordered = isInterlaced
    ? [
        ...rows.filter((y) => y % 8 === 0),
        ...rows.filter((y) => y % 8 === 4),
        ...rows.filter((y) => y % 4 === 2),
        ...rows.filter((y) => y % 2 === 1),
      ]
    : rows;
  return ordered.flatMap((y) =>
    Array.from({ length: size.width }, (_, x) =>
      size.hasNoise && noise.percent(NOISE) ? noise.below(4) : quarterAt(x, y, size),
    ),
  );
}

/** The percentage of the pixels whose quarter is random, if the frame has noise. */
const NOISE = 30;

/** The maximum number of codes: a code has at most twelve bits. */
const MAX_CODES = 4096;

/** A code with its number of bits. */
type Code = readonly [code: number, bits: number];

/** Encodes the indices by LZW, with codes whose length grows (GIF89a, appendix F). */
function codesOf(indices: readonly number[], codeSize: number, coding: GifCoding): readonly Code[] {
  const [clear, end] = [1 << codeSize, (1 << codeSize) + 1];
  const codes: Code[] = coding === 'no first clear code' ? [] : [[clear, codeSize + 1]];
  let [dictionary, next, bits] = [new Map<string, number>(), end + 1, codeSize + 1];
  let known = '';
  const codeOf = (text: string): number => dictionary.get(text) ?? Number(text);
  for (const index of indices) {
    const longer = known === '' ? `${index}` : `${known},${index}`;
    if (known === '' || dictionary.has(longer)) {
      known = longer;
      continue;
    }
    codes.push([codeOf(known), bits]);
    known = `${index}`;
    if (next < MAX_CODES) {
      if (coding !== 'plain') dictionary.set(longer, next);
      if (next === 1 << bits) bits += 1;
      next += 1;
    }
    const isFull = coding === 'plain' ? next === 1 << (codeSize + 1) : next === MAX_CODES;
    if (!isFull || coding === 'full dictionary') continue;
    codes.push([clear, bits]);
    [dictionary, next, bits] = [new Map(), end + 1, codeSize + 1];
  }
  codes.push([codeOf(known), bits]);
  // The decoder's dictionary is one entry behind the encoder's. When the decoder reads the last code, it adds this
  // entry, which may lengthen the code that follows.
  if (next === 1 << bits && bits < 12) bits += 1;
  return coding === 'no end code' ? codes : [...codes, [end, bits]];
}

function pack(codes: readonly Code[]): Uint8Array {
  const bytes = Buffer.alloc(Math.ceil(codes.reduce((sum, [, bits]) => sum + bits, 0) / 8));
  let at = 0;
  for (const [code, bits] of codes) {
    for (let bit = 0; bit < bits; bit += 1, at += 1) {
      if ((code >> bit) & 1) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
    }
  }
  return bytes;
}

/** Returns the data in blocks of at most 255 bytes each, and an empty block at the end (section 15). */
export function subBlocks(bytes: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}
