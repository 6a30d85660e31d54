import { describe, expect, test } from 'bun:test';
import { insertIntoJpeg, jpegSegment, sourceOf, webpChunk } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { webpHeader, webpOf, webpPicture } from '../support/frames.ts';
import { pngChunk } from '../support/pictures.ts';
import { QUADRANTS, quadrants } from '../support/quadrants.ts';

const inspector = createMediaInspector();

const ORIENTATION = 0x0112;
/** Types of EXIF entries (EXIF 3.0, section 4.6.2). */
const [BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, SSHORT, SLONG] = [1, 2, 3, 4, 5, 7, 8, 9];

interface Entry {
  readonly tag?: number;
  readonly type?: number;
  readonly count?: number;
  /** The value, and the number of its bytes. */
  readonly value: readonly [number, 1 | 2 | 4];
}

const orientation = (value: number, entry: Partial<Entry> = {}): Entry => ({ value: [value, 2], ...entry });

interface TiffOptions {
  readonly isLittleEndian?: boolean;
  readonly magic?: number;
  readonly at?: number;
  /** The number of entries that the directory claims. */
  readonly claimed?: number;
}

/** Returns a TIFF block with one directory. */
function tiff(
  entries: readonly Entry[],
  { isLittleEndian = false, magic = 42, at = 8, claimed }: TiffOptions = {},
): Buffer {
  const bytes = Buffer.alloc(at + 2 + 12 * entries.length);
  const write = (value: number, length: number, offset: number) =>
    isLittleEndian ? bytes.writeUIntLE(value, offset, length) : bytes.writeUIntBE(value, offset, length);
  bytes.write(isLittleEndian ? 'II' : 'MM');
  write(magic, 2, 2);
  write(at, 4, 4);
  write(claimed ?? entries.length, 2, at);
  for (const [index, { tag = ORIENTATION, type = SHORT, count = 1, value }] of entries.entries()) {
    const start = at + 2 + 12 * index;
    write(tag, 2, start);
    write(type, 2, start + 2);
    write(count, 4, start + 4);
    write(...value, start + 8);
  }
  return bytes;
}

const six = (options?: TiffOptions) => tiff([orientation(6)], options);
const one = tiff([orientation(1)]);

const exif = (block: Uint8Array, prefix = 'Exif\0\0') =>
  jpegSegment(1, Buffer.concat([Buffer.from(prefix, 'latin1'), block]));
const xmp = jpegSegment(
  1,
  Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'),
);

const jpeg = Buffer.from(await new Bun.Image(quadrants()).jpeg().bytes());
const progressive = Buffer.from(await new Bun.Image(quadrants()).jpeg({ progressive: true }).bytes());

/** Returns the offset of a marker's segment, and the offset after the segment. */
function segmentOf(bytes: Buffer, code: number): readonly [number, number] {
  let at = 2;
  while (bytes[at + 1] !== code) at += 2 + bytes.readUInt16BE(at + 2);
  return [at, at + 2 + bytes.readUInt16BE(at + 2)];
}

const insert = (bytes: Buffer, at: number, added: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]);

const [SOF0, SOF2, SOS] = [0xc0, 0xc2, 0xda];
const [, afterFrame] = segmentOf(jpeg, SOF0);
const [beforeScan] = segmentOf(jpeg, SOS);
/** The offset between the first scan and the tables of the second. */
const betweenScans = progressive.indexOf(Buffer.from([0xff, 0xc4]), segmentOf(progressive, SOS)[1]);

describe('the EXIF orientation of a JPEG', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'with the value %p swaps width and height if the value is 5 or more',
    async (value) => {
      await expectTurned(insertIntoJpeg(jpeg, exif(tiff([orientation(value)]))), value >= 5);
    },
  );

  // The expected results are those of Chromium 156. Firefox 153 agrees except where a note says otherwise.
  const rows: readonly (readonly [string, boolean, Uint8Array])[] = [
    ['a SHORT in little-endian order', true, insertIntoJpeg(jpeg, exif(six({ isLittleEndian: true })))],
    ['the first of two blocks, which turns', true, insertIntoJpeg(jpeg, exif(six()), exif(one))],
    ["the first of two blocks, which doesn't", false, insertIntoJpeg(jpeg, exif(one), exif(six()))],
    [
      'a first block without an orientation',
      false,
      insertIntoJpeg(jpeg, exif(tiff([{ tag: 0x010f, type: ASCII, value: [0, 4] }])), exif(six())),
    ],
    ['a first block of garbage', false, insertIntoJpeg(jpeg, exif(Buffer.alloc(40, 0xee)), exif(six()))],
    // Firefox does not turn this picture.
    ['a block after an empty one', true, insertIntoJpeg(jpeg, exif(Buffer.alloc(0)), exif(six()))],
    ['a block after XMP', true, insertIntoJpeg(jpeg, xmp, exif(six()))],
    ['only XMP', false, insertIntoJpeg(jpeg, xmp)],
    ['a block after the frame header', true, insert(jpeg, afterFrame, exif(six()))],
    ['a block right before the scan', true, insert(jpeg, beforeScan, exif(six()))],
    [
      'a block before the frame header, and another one after it',
      false,
      insertIntoJpeg(insert(jpeg, afterFrame, exif(six())), exif(one)),
    ],
    ['a block after the scan', false, insert(jpeg, jpeg.length - 2, exif(six()))],
    ['a block between scans', false, insert(progressive, betweenScans, exif(six()))],
    ['a BYTE', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: BYTE, value: [6, 1] })])))],
    ['a LONG', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: LONG, value: [6, 4] })])))],
    [
      'a LONG in little-endian order',
      false,
      insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: LONG, value: [6, 4] })], { isLittleEndian: true }))),
    ],
    ['an SSHORT', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: SSHORT })])))],
    ['an SLONG', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: SLONG, value: [6, 4] })])))],
    ['a RATIONAL', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: RATIONAL, value: [8, 4] })])))],
    ['an UNDEFINED', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { type: UNDEFINED })])))],
    ['two SHORTs', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { count: 2 })])))],
    ['a count of 0', false, insertIntoJpeg(jpeg, exif(tiff([orientation(6, { count: 0 })])))],
    ['the value 0', false, insertIntoJpeg(jpeg, exif(tiff([orientation(0)])))],
    ['the value 9', false, insertIntoJpeg(jpeg, exif(tiff([orientation(9)])))],
    // Firefox does not turn this picture.
    ['a block with a byte of padding that is not 0', true, insertIntoJpeg(jpeg, exif(six(), 'Exif\0\xff'))],
    ['a block without padding', false, insertIntoJpeg(jpeg, exif(six(), 'Exif\0'))],
    ['a block with another name', false, insertIntoJpeg(jpeg, exif(six(), 'EXIF\0\0'))],
    ['a directory far from the header', true, insertIntoJpeg(jpeg, exif(six({ at: 40 })))],
    ['a block that is not TIFF', false, insertIntoJpeg(jpeg, exif(six({ magic: 43 })))],
    [
      'a directory of 601 entries',
      true,
      insertIntoJpeg(
        jpeg,
        exif(tiff([...Array.from({ length: 600 }, () => orientation(1, { tag: 0x9000 })), orientation(6)])),
      ),
    ],
    ['a directory that claims more entries than it has', true, insertIntoJpeg(jpeg, exif(six({ claimed: 50 })))],
    ['a truncated entry', false, insertIntoJpeg(jpeg, exif(six().subarray(0, -2)))],
    // Firefox uses the last entry.
    ['the first of two entries', true, insertIntoJpeg(jpeg, exif(tiff([orientation(6), orientation(1)])))],
    [
      'the first of two entries that is valid',
      true,
      insertIntoJpeg(jpeg, exif(tiff([orientation(0), orientation(6)]))),
    ],
    // Firefox does not turn this picture.
    [
      'the first of two entries that is a SHORT',
      true,
      insertIntoJpeg(jpeg, exif(tiff([orientation(1, { type: LONG, value: [1, 4] }), orientation(8)]))),
    ],
  ];

  test.each([...rows])('from %s turns the image as in browsers: %p', async (_, isTurned, bytes) => {
    await expectTurned(bytes, isTurned);
  });

  test('is also applied to a progressive JPEG', async () => {
    await expectTurned(insert(progressive, segmentOf(progressive, SOF2)[0], exif(six())), true);
  });
});

describe('the EXIF orientation of a PNG', () => {
  const png = Buffer.from(quadrants());
  const [header, end] = [33, png.length - 12];
  const chunk = (block: Uint8Array) => pngChunk('eXIf', block);
  const broken = chunk(one);
  broken[broken.length - 1] = ~(broken.at(-1) ?? 0) & 0xff;

  test.each([
    ['a SHORT', true, insert(png, header, chunk(six()))],
    ['a SHORT in little-endian order', true, insert(png, header, chunk(six({ isLittleEndian: true })))],
    ['the first of two chunks', true, insert(png, header, Buffer.concat([chunk(six()), chunk(one)]))],
    [
      'the first of two chunks, which does not turn',
      false,
      insert(png, header, Buffer.concat([chunk(one), chunk(six())])),
    ],
    ['a chunk after one with a wrong CRC', true, insert(png, header, Buffer.concat([broken, chunk(six())]))],
    ['a chunk after the image data', false, insert(png, end, chunk(six()))],
    ['a LONG', false, insert(png, header, chunk(tiff([orientation(6, { type: LONG, value: [6, 4] })])))],
    [
      "a block with a JPEG's prefix",
      false,
      insert(png, header, chunk(Buffer.concat([Buffer.from('Exif\0\0'), six()]))),
    ],
  ] as const)('from %s turns the image as in browsers: %p', async (_, isTurned, bytes) => {
    await expectTurned(bytes, isTurned);
  });
});

test('the EXIF orientation of a WebP is ignored, as in browsers', async () => {
  const HAS_EXIF = 0x08;
  const [head, picture] = [webpHeader(QUADRANTS, HAS_EXIF), await webpPicture(QUADRANTS)];
  await expectTurned(webpOf(head, picture, webpChunk('EXIF', six())), false);
  await expectTurned(webpOf(head, webpChunk('EXIF', six()), picture), false);
});

async function expectTurned(bytes: Uint8Array, isTurned: boolean): Promise<void> {
  const { width, height } = QUADRANTS;
  expect(await inspector.inspect(sourceOf(bytes))).toMatchObject(
    isTurned ? { width: height, height: width } : { width, height },
  );
}
