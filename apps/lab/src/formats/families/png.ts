import { deflateSync } from 'node:zlib';
import { pngChunk } from '@postshelf/testing/fixtures';
import { type Expected, family } from '../family.ts';
import { greyProfile, rgbProfile } from '../parts/icc.ts';
import {
  COLOURS,
  type ColourName,
  IEND,
  PNG_SIGNATURE,
  type PngParts,
  paletteChunk,
  pngHeader,
  pngParts,
} from '../parts/png.ts';
import { OTHERS, type Size } from '../parts/quarters.ts';
import { tiffBlock } from '../parts/tiff.ts';
import { fieldsOf, ORIENTATION_FIELDS } from './jpeg.ts';
import { ORIENTATIONS, SIZE_NAMES, SIZES } from './sizes.ts';

const COLOUR_NAMES = Object.keys(COLOURS) as [ColourName, ...ColourName[]];
const TRANSPARENCY = ['none', 'tRNS', 'tRNS before PLTE', 'suggested palette', 'tRNS too long'] as const;
const SPACES = [
  'none',
  'sRGB',
  'Display P3',
  'Adobe RGB',
  'swapped',
  'linear',
  'grey',
  'damaged',
  'sRGB chunk',
  'gAMA 1.0',
  'gAMA of sRGB with cHRM',
  'cICP Display P3',
] as const;
const EXTRAS = [
  'none',
  'text',
  'unknown',
  'unknown with a wrong CRC',
  'unknown critical',
  'pHYs unequal',
  'text of 300 KB',
  'IDAT in pieces',
  'empty IDAT first',
  'text between IDATs',
] as const;
const ENDINGS = [
  'IEND',
  'no IEND',
  'trailing bytes',
  'half the data',
  'wrong CRC in IDAT',
  'wrong CRC in IEND',
] as const;
const ANIMATIONS = [
  'none',
  'first image is a frame',
  'first image is none',
  'one frame',
  'smaller second frame',
] as const;

export const png = family({
  name: 'png',
  share: 380,
  axes: {
    colour: [...COLOUR_NAMES, 'impossible depth', 'impossible type'],
    size: SIZE_NAMES,
    interlacing: ['none', 'Adam7'],
    transparency: TRANSPARENCY,
    orientation: ORIENTATIONS,
    field: ORIENTATION_FIELDS,
    place: ['before IDAT', 'after IDAT', 'twice'],
    space: SPACES,
    extras: EXTRAS,
    ending: ENDINGS,
    animation: ANIMATIONS,
  },
  async make(traits) {
    const { colour, interlacing, transparency, orientation, field, place, ending, animation } = traits;
    const size = SIZES[traits.size];
    const isImpossible = colour === 'impossible depth' || colour === 'impossible type';
    const name = isImpossible ? 'rgb 8' : colour;
    if (interlacing === 'Adam7' && animation !== 'none') return null;
    const parts = pngParts(name, size, interlacing === 'Adam7');
    const palette = paletteOf(parts, name, transparency);
    const space = spaceOf(traits.space, name);
    if (palette === null || space === null) return null;
    const header = isImpossible
      ? pngHeader(size, colour === 'impossible type' ? 5 : 2, colour === 'impossible type' ? 8 : 3)
      : parts.header;
    const exif = orientation === 'none' ? null : exifChunk(Number(orientation), field);
    const other = exifChunk(orientation === '3' ? 1 : 3, 'SHORT');
    const chunks = [
      header,
      ...space,
      ...palette,
      ...(exif && place !== 'after IDAT' ? [exif] : []),
      ...(exif && place === 'twice' ? [other] : []),
      ...animated(parts, name, size, animation),
      ...(exif && place === 'after IDAT' ? [exif] : []),
    ];
    const bytes = end(Buffer.concat([PNG_SIGNATURE, ...withExtras(chunks, traits.extras), IEND]), ending);
    return { bytes, extension: 'png', ...expectedOf(isImpossible, traits) };
  },
});

function expectedOf(
  isImpossible: boolean,
  { ending, extras }: { readonly ending: (typeof ENDINGS)[number]; readonly extras: (typeof EXTRAS)[number] },
): { readonly expected?: Expected } {
  // A complete file has IEND, and correct CRCs in its critical chunks (docs/decisions/09-whole-files.md). Decoders
  // treat a chunk between two IDAT chunks as the end of the image.
  const isWhole = (ending === 'IEND' || ending === 'trailing bytes') && extras !== 'text between IDATs';
  if (isImpossible) return { expected: isWhole ? 'type' : 'refused' };
  if (!isWhole) return { expected: extras === 'unknown critical' ? 'refused' : 'damaged' };
  // Decoders should refuse an unknown critical chunk, but some don't, so the oracles decide.
  return extras === 'unknown critical' ? {} : { expected: 'taken' };
}

const exifChunk = (orientation: number, field: (typeof ORIENTATION_FIELDS)[number]): Uint8Array =>
  pngChunk('eXIf', tiffBlock(fieldsOf(orientation, field), { isLittleEndian: true }));

/** Returns `PLTE` and `tRNS`; null if the colour type can't have them. */
function paletteOf(
  { palette }: PngParts,
  name: ColourName,
  transparency: (typeof TRANSPARENCY)[number],
): readonly Uint8Array[] | null {
  if (transparency === 'none') return palette;
  const [type, depth] = COLOURS[name];
  const isGrey = type === 0;
  if (type === 4 || type === 6) return null;
  if (transparency === 'suggested palette') return type === 2 ? [paletteChunk()] : null;
  // Without a palette, the colour of the first quarter becomes transparent. With one, its first entry becomes
  // translucent.
  const samples = isGrey ? [greyOf(depth)] : [200, 60, 50].map((value) => (depth === 16 ? value * 257 : value));
  const colour = Buffer.alloc(2 * samples.length);
  for (const [index, sample] of samples.entries()) colour.writeUInt16BE(sample, 2 * index);
  const content = type === 3 ? Buffer.from([100]) : colour;
  const transparent = pngChunk(
    'tRNS',
    transparency === 'tRNS too long' ? Buffer.concat([content, new Uint8Array(300)]) : content,
  );
  if (transparency !== 'tRNS before PLTE') return [...palette, transparent];
  return type === 2 ? [transparent, paletteChunk()] : null;
}

/** Returns the grey of the first quarter. */
const greyOf = (depth: number): number =>
  Math.round(((0.299 * 200 + 0.587 * 60 + 0.114 * 50) / 255) * (2 ** depth - 1));

function spaceOf(space: (typeof SPACES)[number], name: ColourName): readonly Uint8Array[] | null {
  const isGrey = name.startsWith('grey');
  const profile = (bytes: Uint8Array) => [
    pngChunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(bytes)])),
  ];
  const numbers = (type: string, ...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
    return pngChunk(type, bytes);
  };
  switch (space) {
    case 'none':
      return [];
    case 'sRGB chunk':
      return [pngChunk('sRGB', Buffer.from([0]))];
    case 'gAMA 1.0':
      return [numbers('gAMA', 100_000)];
    case 'gAMA of sRGB with cHRM':
      return [numbers('gAMA', 45_455), numbers('cHRM', 31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000)];
    case 'cICP Display P3':
      return isGrey ? null : [pngChunk('cICP', Buffer.from([12, 13, 0, 1]))];
    case 'grey':
      return isGrey ? profile(greyProfile()) : null;
    case 'damaged':
      return profile(rgbProfile('swapped').subarray(0, 140));
    default:
      return isGrey ? null : profile(rgbProfile(space));
  }
}

/** Returns `IDAT`, with the chunks of an animation around it. */
function animated(
  { data }: PngParts,
  name: ColourName,
  size: Size,
  animation: (typeof ANIMATIONS)[number],
): readonly Uint8Array[] {
  const idat = pngChunk('IDAT', data);
  if (animation === 'none') return [idat];
  const control = (frames: number) => pngChunk('acTL', uint32s(frames, 0));
  if (animation === 'one frame') return [control(1), frame(0, size), idat];
  const second = animation === 'smaller second frame' ? half(size) : size;
  const other = pngParts(name, second, false, OTHERS).data;
  const more = (sequence: number) => [
    frame(sequence, second),
    pngChunk('fdAT', Buffer.concat([uint32s(sequence + 1), other])),
  ];
  if (animation === 'first image is none') return [control(2), idat, ...more(0), ...more(2)];
  return [control(2), frame(0, size), idat, ...more(1)];
}

const half = ({ width, height }: Size): Size => ({ width: Math.ceil(width / 2), height: Math.ceil(height / 2) });

const uint32s = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

/** Returns the header of a frame that lasts a quarter of a second and begins in the upper left corner. */
const frame = (sequence: number, { width, height }: Size): Uint8Array =>
  pngChunk('fcTL', Buffer.concat([uint32s(sequence, width, height, 0, 0), Buffer.from([0, 1, 0, 4, 0, 0])]));

const isIdat = (chunk: Uint8Array): boolean => Buffer.from(chunk).toString('latin1', 4, 8) === 'IDAT';

function withExtras(chunks: readonly Uint8Array[], extras: (typeof EXTRAS)[number]): readonly Uint8Array[] {
  const [header, ...others] = chunks;
  const first = (chunk: Uint8Array) => (header ? [header, chunk, ...others] : others);
  const pieces = (between: readonly Uint8Array[]) =>
    chunks.flatMap((chunk) => {
      if (!isIdat(chunk)) return [chunk];
      const data = chunk.subarray(8, -4);
      return [0, 1, 2].flatMap((third) => {
        const piece = data.subarray(Math.floor((third * data.length) / 3), Math.floor(((third + 1) * data.length) / 3));
        return [...(third > 0 ? between : []), pngChunk('IDAT', piece)];
      });
    });
  const text = pngChunk('tEXt', Buffer.from('Comment\0hello', 'latin1'));
  switch (extras) {
    case 'none':
      return chunks;
    case 'text':
      return first(text);
    case 'unknown':
      return first(pngChunk('abCd', Buffer.alloc(20, 7)));
    case 'unknown with a wrong CRC': {
      const broken = Buffer.from(pngChunk('abCd', Buffer.alloc(20, 7)));
      broken[10] = 8;
      return first(broken);
    }
    case 'unknown critical':
      return first(pngChunk('ABCD', Buffer.alloc(20, 7)));
    case 'pHYs unequal':
      return first(pngChunk('pHYs', Buffer.concat([uint32s(2000, 1000), Buffer.from([0])])));
    case 'text of 300 KB':
      return first(pngChunk('tEXt', Buffer.concat([Buffer.from('Comment\0', 'latin1'), Buffer.alloc(300_000, 0x61)])));
    case 'IDAT in pieces':
      return pieces([]);
    case 'text between IDATs':
      return pieces([text]);
    case 'empty IDAT first':
      return chunks.flatMap((chunk) => (isIdat(chunk) ? [pngChunk('IDAT', new Uint8Array()), chunk] : [chunk]));
  }
}

function end(png: Buffer, ending: (typeof ENDINGS)[number]): Uint8Array {
  const data = png.indexOf('IDAT');
  const wrong = (at: number): Uint8Array => {
    png[at] = (png[at] ?? 0) ^ 0xff;
    return png;
  };
  switch (ending) {
    case 'IEND':
      return png;
    case 'no IEND':
      return png.subarray(0, -12);
    case 'trailing bytes':
      return Buffer.concat([png, Buffer.alloc(3000, 0x5a)]);
    case 'half the data':
      return png.subarray(0, data + 4 + Math.floor(png.readUInt32BE(data - 4) / 2));
    case 'wrong CRC in IDAT':
      return wrong(data + 4 + png.readUInt32BE(data - 4));
    case 'wrong CRC in IEND':
      return wrong(png.length - 1);
  }
}
