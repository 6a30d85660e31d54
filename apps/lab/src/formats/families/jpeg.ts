import { join } from 'node:path';
import { insertIntoJpeg, jpegSegment, xmpSegment } from '@postshelf/testing/fixtures';
import { type Expected, family } from '../family.ts';
import { encodeWithFfmpeg, once, still } from '../parts/encode.ts';
import { greyProfile, rgbProfile } from '../parts/icc.ts';
import { OTHERS } from '../parts/quarters.ts';
import { type FieldType, orientationField, tiffBlock } from '../parts/tiff.ts';
import { ORIENTATIONS, SIZE_NAMES, SIZES, type SizeName } from './sizes.ts';

/**
 * Variants of JPEG that libvips can't write. For each, a file written by libjpeg-turbo's `cjpeg` is committed. Its
 * image consists of four coloured quarters and has 96×64 pixels.
 */
const SHIPPED = [
  '4-2-2',
  '4-4-0',
  '4-1-1',
  'rgb',
  'restarts',
  'progressive-with-restarts',
  'scan-for-each-component',
  'arithmetic',
  'progressive-arithmetic',
] as const;
const CODINGS = [
  '4:2:0',
  '4:4:4',
  'progressive',
  'grey',
  'CMYK',
  'optimised',
  'lossless',
  '12 bits',
  ...SHIPPED,
] as const;
const FOLDER = join(import.meta.dir, '../../../corpus/formats');

const FIELDS = ['SHORT', 'LONG', 'SLONG', 'BYTE', 'SSHORT', 'two values', 'no value', 'twice'] as const;
const PLACES = [
  'first',
  'after JFIF',
  'before another',
  'after another',
  'after the frame header',
  'in the second directory',
  'far from the header',
  'after XMP',
  'cut short',
  'with another name',
] as const;
const PROFILES = [
  'none',
  'sRGB',
  'Display P3',
  'Adobe RGB',
  'swapped',
  'swapped, in two segments',
  'swapped, second segment first',
  'swapped, second segment missing',
  'linear',
  'grey',
  'damaged',
] as const;
const ENDINGS = [
  'EOI',
  'no EOI',
  'trailing bytes',
  'trailing JPEG',
  'trailer of a motion photo',
  'trailer without EOI',
  'zeros without EOI',
  'half a scan',
  'header alone',
] as const;
const SEGMENTS = [
  'ordinary',
  'fill bytes',
  'comment',
  'many',
  'JFIF twice',
  'no JFIF',
  'thumbnail',
  '33 MB before the frame',
] as const;

export const jpeg = family({
  name: 'jpeg',
  share: 460,
  axes: {
    coding: CODINGS,
    size: SIZE_NAMES,
    orientation: ORIENTATIONS,
    field: FIELDS,
    order: ['big', 'little'],
    place: PLACES,
    profile: PROFILES,
    ending: ENDINGS,
    segments: SEGMENTS,
  },
  async make({ coding, size, orientation, field, order, place, profile, ending, segments }) {
    // These files are large, and combining them with other codings, profiles or endings wouldn't test anything more.
    if (
      segments === '33 MB before the frame' &&
      [coding !== '4:2:0', profile !== 'none', ending !== 'EOI'].includes(true)
    )
      return null;
    if (isShipped(coding) && size !== '96×64') return null;
    const base = await once(`jpeg ${coding} ${size}`, () => encode(coding, size));
    const exif = orientation === 'none' ? [] : exifSegments(Number(orientation), field, order === 'little', place);
    let bytes: Uint8Array = segments === 'no JFIF' ? withoutJfif(base) : base;
    if (place === 'after the frame header') bytes = insertAt(bytes, endOfFrame(bytes), exif);
    else bytes = insertAt(bytes, place === 'after JFIF' ? endOfFirstSegment(bytes) : 2, exif);
    bytes = insertAt(bytes, endOfFirstSegment(bytes), profileSegments(profile));
    bytes = withSegments(bytes, segments);
    const ended = await end(bytes, ending);
    if (ended === null) return null;
    return { bytes: ended, extension: 'jpg', ...expectedOf(coding, ending) };
  },
});

function expectedOf(
  coding: (typeof CODINGS)[number],
  ending: (typeof ENDINGS)[number],
): { readonly expected?: Expected } {
  // No browser shows these two codings, so the service refuses them. A file without an end marker may be refused as
  // damaged or for its type, because there is no way to tell whether it is complete.
  if (coding === 'lossless' || coding === '12 bits')
    return { expected: ['EOI', 'trailing bytes'].includes(ending) ? 'type' : 'refused' };
  if (ending === 'half a scan' || ending === 'header alone') return { expected: 'damaged' };
  // Without an end marker the service must follow the codes to the last coefficient, which it does only for Huffman
  // codes.
  const isUnended = ending.includes('no EOI') || ending.includes('without EOI');
  return { expected: coding.includes('arithmetic') && isUnended ? 'damaged' : 'taken' };
}

const isShipped = (coding: string): boolean => SHIPPED.some((name) => name === coding);

async function encode(coding: (typeof CODINGS)[number], name: SizeName): Promise<Uint8Array> {
  if (isShipped(coding)) return Bun.file(join(FOLDER, `${coding}.jpg`)).bytes();
  const size = SIZES[name];
  const options = { quality: 92, chromaSubsampling: coding === '4:2:0' ? '4:2:0' : '4:4:4' };
  if (coding === 'lossless')
    return encodeWithFfmpeg({
      size,
      before: [],
      after: ['-frames:v', '1', '-c:v', 'ljpeg', '-pix_fmt', 'bgr24', '-f', 'mjpeg'],
      extension: 'jpg',
    });
  const image = still(size);
  if (coding === 'grey') return image.greyscale().toColourspace('b-w').jpeg(options).toBuffer();
  if (coding === 'CMYK') return image.toColourspace('cmyk').jpeg(options).toBuffer();
  const plain = await image
    .jpeg({ ...options, progressive: coding === 'progressive', optimiseScans: coding === 'optimised' })
    .toBuffer();
  return coding === '12 bits' ? withTwelveBits(plain) : plain;
}

/**
 * Returns the file with an extended sequential frame of 12 bits per sample (ITU-T T.81, B.2.2), which doesn't match the
 * scan.
 */
function withTwelveBits(jpeg: Uint8Array): Uint8Array {
  const bytes = Buffer.from(jpeg);
  const frame = frameOf(bytes);
  bytes[frame + 1] = 0xc1;
  bytes[frame + 4] = 12;
  return bytes;
}

const EXIF_NAME = Buffer.from('Exif\0\0', 'latin1');

function exifSegments(
  orientation: number,
  field: (typeof FIELDS)[number],
  isLittleEndian: boolean,
  place: (typeof PLACES)[number],
): readonly Uint8Array[] {
  const segment = (block: Uint8Array, name = EXIF_NAME) => jpegSegment(1, Buffer.concat([name, block]));
  const fields = fieldsOf(orientation, field);
  const block = tiffBlock(fields, { isLittleEndian });
  const another = segment(
    tiffBlock([orientationField(orientation === 3 ? 1 : 3)], { isLittleEndian: !isLittleEndian }),
  );
  switch (place) {
    case 'before another':
      return [segment(block), another];
    case 'after another':
      return [another, segment(block)];
    case 'in the second directory':
      return [segment(tiffBlock([orientationField(1)], { isLittleEndian, second: fields }))];
    case 'far from the header':
      return [segment(tiffBlock(fields, { isLittleEndian, start: 5000 }))];
    case 'after XMP':
      return [xmpSegment('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'), segment(block)];
    case 'cut short':
      return [segment(block.subarray(0, 14))];
    case 'with another name':
      return [segment(block, Buffer.from('Exif\0\xff', 'latin1'))];
    default:
      return [segment(block)];
  }
}

export function fieldsOf(orientation: number, field: (typeof FIELDS)[number]) {
  switch (field) {
    case 'two values':
      return [orientationField(orientation, 'SHORT', 2)];
    case 'no value':
      return [orientationField(orientation, 'SHORT', 0)];
    case 'twice':
      return [orientationField(orientation), orientationField(orientation === 3 ? 1 : 3)];
    default:
      return [orientationField(orientation, field satisfies FieldType)];
  }
}

export const ORIENTATION_FIELDS = FIELDS;

function profileSegments(profile: (typeof PROFILES)[number]): readonly Uint8Array[] {
  const segment = (number: number, of: number, content: Uint8Array) =>
    jpegSegment(2, Buffer.concat([Buffer.from('ICC_PROFILE\0', 'latin1'), Buffer.from([number, of]), content]));
  const swapped = rgbProfile('swapped');
  const [first, second] = [segment(1, 2, swapped.subarray(0, 200)), segment(2, 2, swapped.subarray(200))];
  switch (profile) {
    case 'none':
      return [];
    case 'swapped, in two segments':
      return [first, second];
    case 'swapped, second segment first':
      return [second, first];
    case 'swapped, second segment missing':
      return [first];
    case 'grey':
      return [segment(1, 1, greyProfile())];
    case 'damaged':
      return [segment(1, 1, swapped.subarray(0, 140))];
    default:
      return [segment(1, 1, rgbProfile(profile))];
  }
}

function withSegments(jpeg: Uint8Array, segments: (typeof SEGMENTS)[number]): Uint8Array {
  const noise = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7919) >> 3);
  switch (segments) {
    case 'fill bytes':
      return insertAt(jpeg, 2, [Buffer.alloc(5, 0xff)]);
    case 'comment':
      return insertIntoJpeg(jpeg, comment('\xff\xd8 and \xff\xd9 in a comment'));
    case 'many':
      return insertIntoJpeg(jpeg, ...Array.from({ length: 300 }, () => jpegSegment(7, noise(1000))));
    case 'JFIF twice':
      return insertIntoJpeg(jpeg, jpeg.subarray(2, endOfFirstSegment(jpeg)));
    case 'thumbnail':
      return insertIntoJpeg(jpeg, jpegSegment(5, Buffer.concat([Buffer.from('Preview\0'), jpeg])));
    case '33 MB before the frame':
      return insertIntoJpeg(jpeg, ...Array.from({ length: 530 }, () => jpegSegment(11, new Uint8Array(65_000))));
    default:
      return jpeg;
  }
}

function comment(text: string): Uint8Array {
  const segment = Buffer.from(jpegSegment(0, Buffer.from(text, 'latin1')));
  segment[1] = 0xfe;
  return segment;
}

async function end(jpeg: Uint8Array, ending: (typeof ENDINGS)[number]): Promise<Uint8Array | null> {
  const unended = jpeg.subarray(0, -2);
  const scan = scanOf(jpeg);
  switch (ending) {
    case 'EOI':
      return jpeg;
    case 'no EOI':
      return unended;
    case 'trailing bytes':
      return Buffer.concat([jpeg, Buffer.alloc(3000, 0x5a)]);
    case 'trailing JPEG':
      return Buffer.concat([jpeg, await still({ width: 48, height: 16 }, OTHERS).jpeg().toBuffer()]);
    case 'trailer of a motion photo':
      return Buffer.concat([jpeg, vendorTrailer()]);
    case 'trailer without EOI':
      return Buffer.concat([unended, vendorTrailer()]);
    case 'zeros without EOI':
      return Buffer.concat([unended, Buffer.alloc(500)]);
    case 'half a scan':
      // A scan of one block is too short to be cut in half.
      return jpeg.length - scan < 200 ? null : jpeg.subarray(0, scan + Math.floor((jpeg.length - scan) / 2));
    case 'header alone':
      return jpeg.subarray(0, scan);
  }
}

/** Returns a trailer like the one that Samsung's cameras append: named parts, one of which is an MP4. */
const vendorTrailer = (): Uint8Array =>
  Buffer.concat([
    Buffer.from('\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data', 'latin1'),
    Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1'),
    Buffer.alloc(600, 0x41),
    Buffer.from('SEFH\x6b\0\0\0\x01\0\0\0\0\0\x30\x0a\x70\x02\0\0\x70\x02\0\0\x18\0\0\0SEFT', 'latin1'),
  ]);

function insertAt(bytes: Uint8Array, at: number, parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 0 ? bytes : Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)]);
}

const uint16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

const endOfFirstSegment = (jpeg: Uint8Array): number => 4 + uint16(jpeg, 4);

const withoutJfif = (jpeg: Uint8Array): Uint8Array =>
  jpeg[3] === 0xe0 ? Buffer.concat([jpeg.subarray(0, 2), jpeg.subarray(endOfFirstSegment(jpeg))]) : jpeg;

/** Codes in the range of frame headers that mean something else (ITU-T T.81, table B.1). */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Returns the position of the marker of the frame header. */
const frameOf = (jpeg: Uint8Array): number =>
  markerWhere(jpeg, (code) => code >= 0xc0 && code <= 0xcf && !NO_FRAMES.has(code));

function endOfFrame(jpeg: Uint8Array): number {
  const at = frameOf(jpeg);
  return at + 2 + uint16(jpeg, at + 2);
}

/** Returns the position at which the first scan's coded data begins. */
function scanOf(jpeg: Uint8Array): number {
  const at = markerWhere(jpeg, (code) => code === 0xda);
  return at + 2 + uint16(jpeg, at + 2);
}

function markerWhere(jpeg: Uint8Array, isIt: (code: number) => boolean): number {
  for (let at = 2; at + 4 <= jpeg.length; ) {
    if (jpeg[at + 1] === 0xff) at += 1;
    else if (isIt(jpeg[at + 1] ?? 0)) return at;
    else at += 2 + uint16(jpeg, at + 2);
  }
  throw new Error('The JPEG lacks a marker.');
}
