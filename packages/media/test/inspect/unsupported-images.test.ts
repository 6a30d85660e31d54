import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { sourceOf, webpChunk } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { ANIMATION, webpFrame, webpHeader, webpOf, webpPicture } from '../support/frames.ts';
import { pngChunk } from '../support/pictures.ts';
import { QUADRANTS, quadrants } from '../support/quadrants.ts';

const inspector = createMediaInspector();
const inspect = (bytes: Uint8Array) => inspector.inspect(sourceOf(bytes));

/** Neither Chromium 156 nor Firefox 153 shows any of these pictures. */
describe('a JPEG that browsers cannot show', () => {
  const REMEDY = 'which browsers can’t show. Save it as an ordinary JPEG with 8 bits.';
  const frame = Buffer.from('ffc0001108', 'hex');

  /** Returns a JPEG whose frame has this marker code and this precision. */
  async function withFrame(code: number, precision = 8): Promise<Buffer> {
    const bytes = Buffer.from(await new Bun.Image(quadrants()).jpeg().bytes());
    const at = bytes.indexOf(frame);
    bytes[at + 1] = code;
    bytes[at + 4] = precision;
    return bytes;
  }

  test.each([
    ['lossless', 0xc3, 8, 'is a lossless JPEG'],
    ['lossless by arithmetic coding', 0xcb, 8, 'is a lossless JPEG'],
    ['lossless with 16 bits', 0xc3, 16, 'is a lossless JPEG'],
    ['baseline with 12 bits', 0xc0, 12, 'is a JPEG with 12 bits per sample'],
    ['extended with 12 bits', 0xc1, 12, 'is a JPEG with 12 bits per sample'],
    ['progressive with 12 bits', 0xc2, 12, 'is a JPEG with 12 bits per sample'],
    ['hierarchical', 0xc5, 8, 'is a hierarchical JPEG'],
    ['hierarchical by arithmetic coding', 0xcd, 8, 'is a hierarchical JPEG'],
  ] as const)('is refused with the reason: %s', async (_, code, precision, fault) => {
    const expected = { type: 'image/jpeg', fault: `${fault}, ${REMEDY}` } as const;
    expect(await inspect(await withFrame(code, precision))).toEqual(expected);
  });

  test('is refused if it has a second frame header or two components', async () => {
    const bytes = await withFrame(0xc0);
    const at = bytes.indexOf(frame);
    const twice = Buffer.concat([bytes.subarray(0, at + 19), bytes.subarray(at)]);
    expect(await inspect(twice)).toEqual({ type: 'image/jpeg', fault: `is a hierarchical JPEG, ${REMEDY}` });
    const header = Buffer.from('ffc0000e08007800f0020111000211000', 'hex');
    const two = Buffer.concat([bytes.subarray(0, at), header, bytes.subarray(at + 19)]);
    expect(await inspect(two)).toEqual({
      type: 'image/jpeg',
      fault: `is a JPEG with two colour components, ${REMEDY}`,
    });
  });

  test('is refused if it has a second start marker or no height', async () => {
    const bytes = await withFrame(0xc0);
    const refused = (fault: string) => ({ type: 'image/jpeg', fault: `${fault}, ${REMEDY}` }) as const;
    const twice = Buffer.concat([bytes.subarray(0, 2), bytes]);
    expect(await inspect(twice)).toEqual(refused('is a JPEG that begins twice'));
    bytes.writeUInt16BE(0, bytes.indexOf(frame) + 5);
    expect(await inspect(bytes)).toEqual(refused('is a JPEG without its height'));
  });

  test.each([
    [65_500, null],
    [65_501, 'is a JPEG of more than 65,500 pixels in height or width, which browsers can’t show. Save a smaller one.'],
  ])('is refused if it is higher than browsers can show: %d', async (height, fault) => {
    const bytes = await withFrame(0xc0);
    bytes.writeUInt16BE(height, bytes.indexOf(frame) + 5);
    expect(await inspect(bytes)).toMatchObject(fault === null ? { height } : { type: 'image/jpeg', fault });
  });

  test.each([
    ['extended', 0xc1],
    ['arithmetic', 0xc9],
    ['progressive arithmetic', 0xca],
  ])('is distinguished from a JPEG that is %s, which Chromium shows', async (_, code) => {
    expect(await inspect(await withFrame(code))).toMatchObject({ type: 'image/jpeg', ...QUADRANTS });
    const arithmetic = await Bun.file(join(import.meta.dir, 'scans/arithmetic.jpg')).bytes();
    expect(await inspect(arithmetic)).toMatchObject({ width: 48, height: 32 });
  });
});

describe('a PNG that no program can show', () => {
  const png = Buffer.from(quadrants());
  const REMEDY = 'which doesn’t exist, so nothing can show it. Save it as PNG again.';

  /** Returns a picture with other values in its header, from the depth on. */
  function withHeader(...values: readonly number[]): Buffer {
    const bytes = Buffer.from(png);
    bytes.set(values, 24);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
    return bytes;
  }

  test.each([
    ['3 bits per sample in the colour type 2', [3, 2]],
    ['1 bits per sample in the colour type 2', [1, 2]],
    ['16 bits per sample in the colour type 3', [16, 3]],
    ['4 bits per sample in the colour type 6', [4, 6]],
    ['2 bits per sample in the colour type 4', [2, 4]],
    ['32 bits per sample in the colour type 2', [32, 2]],
    ['0 bits per sample in the colour type 0', [0, 0]],
    ['the colour type 1', [8, 1]],
    ['the colour type 5', [8, 5]],
    ['the colour type 7', [8, 7]],
    ['the compression method 1', [8, 2, 1]],
    ['the filter method 1', [8, 2, 0, 1]],
    ['the interlace method 2', [8, 2, 0, 0, 2]],
  ] as const)('is refused with the reason: %s', async (unknown, values) => {
    const expected = { type: 'image/png', fault: `is a PNG with ${unknown}, ${REMEDY}` } as const;
    expect(await inspect(withHeader(...values))).toEqual(expected);
  });

  test('is distinguished from a PNG with valid header values', async () => {
    const existing = [
      [16, 2],
      [1, 0],
      [16, 0],
      [8, 4],
      [16, 6],
      [8, 2, 0, 0, 1],
    ];
    for (const values of existing) expect(await inspect(withHeader(...values))).toMatchObject(QUADRANTS);
  });

  test('is refused without a palette, with an unknown critical chunk or from an iPhone app', async () => {
    const WITHOUT = 'is a PNG without its palette, so nothing can show it. Save it as PNG again.';
    expect(await inspect(withHeader(8, 3))).toEqual({ type: 'image/png', fault: WITHOUT });
    const palette = pngChunk('PLTE', Buffer.alloc(9));
    const late = Buffer.concat([withHeader(8, 3).subarray(0, -12), palette, png.subarray(-12)]);
    expect(await inspect(late)).toEqual({ type: 'image/png', fault: WITHOUT });
    const indexed = Buffer.concat([withHeader(8, 3).subarray(0, 33), palette, png.subarray(33)]);
    expect(await inspect(indexed)).toMatchObject(QUADRANTS);
    const unknown = Buffer.concat([png.subarray(0, 33), pngChunk('ABCD', Buffer.alloc(1)), png.subarray(33)]);
    expect(await inspect(unknown)).toEqual({
      type: 'image/png',
      fault: 'is a PNG with a chunk “ABCD” that no program knows. Save it as PNG again.',
    });
    const app = Buffer.concat([png.subarray(0, 8), pngChunk('CgBI', Buffer.alloc(4)), png.subarray(8)]);
    expect(await inspect(app)).toEqual({
      type: 'image/png',
      fault: 'is a PNG of an iPhone app (CgBI), which browsers can’t show. Save it as PNG again.',
    });
  });
});

describe('a WebP with contradictory parts', async () => {
  const REMEDY = 'so browsers can’t show it. Save it as WebP again.';
  const [ANIMATED, ALPHA] = [0x02, 0x10];
  const picture = await webpPicture(QUADRANTS);
  const frame = webpFrame({ left: 0, top: 0, ...QUADRANTS }, picture);
  const outside = webpFrame({ left: 10, top: 0, ...QUADRANTS }, picture);
  const larger = { width: 300, height: 200 };

  test.each([
    [
      'a canvas larger than the image',
      [webpHeader(larger, 0), picture],
      'WebP whose image isn’t as large as its header says',
    ],
    [
      'a canvas smaller than the image',
      [webpHeader({ width: 50, height: 40 }, ALPHA), picture],
      'WebP whose image isn’t as large as its header says',
    ],
    [
      'the animation flag and a still image',
      [webpHeader(QUADRANTS, ANIMATED), picture],
      'WebP whose header and frames contradict each other',
    ],
    [
      'frames without the animation flag',
      [webpHeader(QUADRANTS, 0), ANIMATION, frame],
      'WebP whose header and frames contradict each other',
    ],
    [
      'an animation without its chunk',
      [webpHeader(QUADRANTS, ANIMATED), frame],
      'animated WebP without its ANIM chunk',
    ],
    [
      'a frame outside of the canvas',
      [webpHeader(QUADRANTS, ANIMATED), ANIMATION, frame, outside],
      'animated WebP with a frame outside of its canvas',
    ],
  ] as const)('is refused with the reason: %s', async (_, chunks, what) => {
    const article = what.startsWith('a') ? 'an' : 'a';
    const expected = { type: 'image/webp', fault: `is ${article} ${what}, ${REMEDY}` } as const;
    expect(await inspect(webpOf(...chunks))).toEqual(expected);
  });

  test('is distinguished from a valid WebP with frames smaller than the canvas, or with other chunks', async () => {
    const animation = webpOf(
      webpHeader(larger, ANIMATED),
      ANIMATION,
      outside,
      frame,
      webpChunk('XMP ', Buffer.alloc(4)),
    );
    expect(await inspect(animation)).toMatchObject({ ...larger, details: { image: { frames: 2 } } });
    expect(await inspect(webpOf(webpHeader(QUADRANTS, 0), picture))).toMatchObject(QUADRANTS);
  });
});
