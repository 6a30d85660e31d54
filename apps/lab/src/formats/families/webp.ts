import { PLACE_XMP, webpChunk } from '@postshelf/testing/fixtures';
import sharp from 'sharp';
import { type Expected, family } from '../family.ts';
import { once } from '../parts/encode.ts';
import { rgbProfile } from '../parts/icc.ts';
import { OTHERS, pixelsOf, QUARTERS, quarterAt, type Size } from '../parts/quarters.ts';
import { tiffBlock } from '../parts/tiff.ts';
import { fieldsOf, ORIENTATION_FIELDS } from './jpeg.ts';
import { ORIENTATIONS, SIZE_NAMES, SIZES } from './sizes.ts';

const CODINGS = ['lossy', 'lossless', 'lossy with alpha', 'lossless with alpha'] as const;
const SPACES = ['none', 'sRGB', 'Display P3', 'Adobe RGB', 'swapped', 'linear', 'damaged'] as const;
const ANIMATIONS = [
  'none',
  'whole frames',
  'first frame smaller, in the corner',
  'first frame smaller, in the middle',
  'one frame',
  'no blending',
  'disposed of',
] as const;
const EXTRAS = ['none', 'XMP', 'unknown before', 'unknown after', 'odd length', 'EXIF before the image'] as const;
const ENDINGS = [
  'whole',
  'trailing bytes',
  'RIFF longer than the file',
  'RIFF one byte longer',
  'half',
  'without the last padding',
] as const;
const FLAGS = ['right', 'none', 'all'] as const;

export const webp = family({
  name: 'webp',
  share: 280,
  axes: {
    coding: CODINGS,
    container: ['extended', 'simple'],
    size: SIZE_NAMES,
    orientation: ORIENTATIONS,
    field: ORIENTATION_FIELDS,
    exifName: ['without', 'with'],
    space: SPACES,
    animation: ANIMATIONS,
    flags: FLAGS,
    extras: EXTRAS,
    ending: ENDINGS,
  },
  async make(traits) {
    const { coding, orientation, field, space, animation, extras, ending, flags } = traits;
    const size = SIZES[traits.size];
    const hasMore = [orientation, space, animation, extras].some((trait) => trait !== 'none');
    if (animation !== 'none' && !isLargeEnough(size)) return null;
    if (traits.container === 'simple' && (hasMore || flags !== 'right')) return null;
    const isExtended = traits.container === 'extended' || coding === 'lossy with alpha';
    const image = imageChunks(await encode(coding, size));
    const block =
      orientation === 'none' ? null : tiffBlock(fieldsOf(Number(orientation), field), { isLittleEndian: true });
    const name = traits.exifName === 'with' ? Buffer.from('Exif\0\0', 'latin1') : new Uint8Array();
    const exif = block ? [webpChunk('EXIF', Buffer.concat([name, block]))] : [];
    const profile = space === 'none' ? [] : [webpChunk('ICCP', profileOf(space))];
    const isEarly = extras === 'EXIF before the image';
    const chunks = [
      ...profile,
      ...(isEarly ? exif : []),
      ...(extras === 'unknown before' ? [webpChunk('abcd', Buffer.alloc(10, 1))] : []),
      ...(animation === 'none' ? image : await animated(animation, coding, size)),
      ...(isEarly ? [] : exif),
      ...(extras === 'XMP' ? [webpChunk('XMP ', Buffer.from(PLACE_XMP))] : []),
      ...(extras === 'unknown after' ? [webpChunk('abcd', Buffer.alloc(10, 1))] : []),
      ...(extras === 'odd length' ? [webpChunk('abcd', Buffer.alloc(11, 1))] : []),
    ];
    const right = {
      icc: space !== 'none',
      alpha: coding.endsWith('alpha'),
      exif: block !== null,
      xmp: extras === 'XMP',
      animation: animation !== 'none',
    };
    const head = isExtended ? [extendedHeader(size, flagsOf(right, flags))] : [];
    return { bytes: end(riff([...head, ...chunks]), ending), extension: 'webp', ...expectedOf(traits) };
  },
});

const isLargeEnough = ({ width, height }: Size): boolean => width >= 16 && height >= 12;

function expectedOf({
  ending,
  flags,
  animation,
}: {
  readonly ending: (typeof ENDINGS)[number];
  readonly flags: (typeof FLAGS)[number];
  readonly animation: (typeof ANIMATIONS)[number];
}): { readonly expected?: Expected } {
  if (ending === 'half' || ending.startsWith('RIFF')) return { expected: 'damaged' };
  // Programs show a container with wrong flags in different ways.
  if (ending === 'without the last padding' || (flags !== 'right' && animation !== 'none')) return {};
  return flags === 'right' ? { expected: 'taken' } : {};
}

/** Returns the image's chunks from a file that contains nothing else: `ALPH` and `VP8 `, or `VP8L`. */
function imageChunks(file: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(file);
  const chunks: Uint8Array[] = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (['ALPH', 'VP8 ', 'VP8L'].includes(bytes.toString('latin1', at, at + 4))) chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

function encode(coding: (typeof CODINGS)[number], size: Size, colours = QUARTERS): Promise<Uint8Array> {
  return once(`webp ${coding} ${size.width}×${size.height} ${colours === QUARTERS}`, async () => {
    const options = { quality: 92, lossless: coding.startsWith('lossless'), alphaQuality: 100, exact: true };
    const pixels = coding.endsWith('alpha') ? withAlpha(size, colours) : pixelsOf(size, colours);
    return sharp(pixels, { raw: { ...size, channels: coding.endsWith('alpha') ? 4 : 3 } })
      .webp(options)
      .toBuffer();
  });
}

/** Makes the third quarter half transparent. */
function withAlpha(size: Size, colours: typeof QUARTERS): Uint8Array {
  const pixels = new Uint8Array(4 * size.width * size.height);
  for (let at = 0; at < size.width * size.height; at += 1) {
    const quarter = quarterAt(at % size.width, Math.floor(at / size.width), size);
    pixels.set([...colours[quarter], quarter === 2 ? 100 : 255], 4 * at);
  }
  return pixels;
}

const profileOf = (space: Exclude<(typeof SPACES)[number], 'none'>): Uint8Array =>
  space === 'damaged' ? rgbProfile('swapped').subarray(0, 140) : rgbProfile(space);

/** Bits of `VP8X` (RFC 9649, section 2.7). */
const FLAG_BITS = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04, animation: 0x02 } as const;

function flagsOf(right: Readonly<Record<keyof typeof FLAG_BITS, boolean>>, flags: (typeof FLAGS)[number]): number {
  const names = Object.keys(FLAG_BITS) as (keyof typeof FLAG_BITS)[];
  const set = names.filter((name) => {
    // The animation and alpha flags are always correct. If they weren't set for a file that has an animation or an
    // alpha channel, programs would disagree about the file.
    if (name === 'animation' || name === 'alpha' || flags === 'right') return right[name];
    return flags === 'all';
  });
  return set.reduce((bits, name) => bits | FLAG_BITS[name], 0);
}

function extendedHeader({ width, height }: Size, flags: number): Uint8Array {
  const content = Buffer.alloc(10);
  content[0] = flags;
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', content);
}

async function animated(
  animation: Exclude<(typeof ANIMATIONS)[number], 'none'>,
  coding: (typeof CODINGS)[number],
  size: Size,
): Promise<readonly Uint8Array[]> {
  const control = Buffer.alloc(6);
  control.set([255, 255, 255, 255]);
  const whole = { ...size, left: 0, top: 0 };
  const small = { width: size.width >> 1, height: size.height >> 1 };
  // Offsets are even (section 2.7.1.1).
  const middle = { ...small, left: 2 * (size.width >> 3), top: 2 * (size.height >> 3) };
  const first = animation.endsWith('in the corner')
    ? { ...small, left: 0, top: 0 }
    : animation.endsWith('in the middle')
      ? middle
      : whole;
  const flags = animation === 'no blending' ? 0x02 : animation === 'disposed of' ? 0x01 : 0;
  const frame = async (place: typeof whole, colours: typeof QUARTERS): Promise<Uint8Array> => {
    const header = Buffer.alloc(16);
    header.writeUIntLE(place.left / 2, 0, 3);
    header.writeUIntLE(place.top / 2, 3, 3);
    header.writeUIntLE(place.width - 1, 6, 3);
    header.writeUIntLE(place.height - 1, 9, 3);
    header.writeUIntLE(100, 12, 3);
    header[15] = flags;
    const { width, height } = place;
    return webpChunk('ANMF', Buffer.concat([header, ...imageChunks(await encode(coding, { width, height }, colours))]));
  };
  const frames = [await frame(first, QUARTERS), ...(animation === 'one frame' ? [] : [await frame(whole, OTHERS)])];
  return [webpChunk('ANIM', control), ...frames];
}

function riff(chunks: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const header = Buffer.from('RIFF\0\0\0\0');
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
}

function end(file: Buffer, ending: (typeof ENDINGS)[number]): Uint8Array {
  const claim = (length: number): Buffer => {
    file.writeUInt32LE(length, 4);
    return file;
  };
  switch (ending) {
    case 'whole':
      return file;
    case 'trailing bytes':
      return Buffer.concat([file, Buffer.alloc(3000, 0x5a)]);
    case 'RIFF longer than the file':
      return claim(file.length + 1000);
    case 'RIFF one byte longer':
      return claim(file.length - 8 + 2);
    case 'half':
      return file.subarray(0, Math.ceil(file.length / 2));
    case 'without the last padding':
      // Some encoders omit the last padding byte, and don't count it in the length.
      return file.at(-1) === 0 ? claim(file.length - 9).subarray(0, -1) : file;
  }
}
