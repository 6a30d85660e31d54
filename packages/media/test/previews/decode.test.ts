import { expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import type { MediaType } from '@postshelf/domain';
import { orientJpeg, orientPng, orientWebp } from '@postshelf/testing/fixtures';
import { makeFiles } from '../../src/previews/decode.ts';
import { lettersOf, noise, QUADRANTS, quadrants } from '../support/quadrants.ts';

const { width, height } = QUADRANTS;

/** How a picture is displayed, for each EXIF orientation (EXIF 2.32, tag 0x0112). */
const DISPLAYED: Readonly<Record<number, string>> = {
  1: 'rgbw wide',
  2: 'grwb wide',
  3: 'wbgr wide',
  4: 'bwrg wide',
  5: 'rbgw tall',
  6: 'brwg tall',
  7: 'wgbr tall',
  8: 'gwrb tall',
};

const png = quadrants();
const FORMATS: readonly (readonly [MediaType, (orientation: number) => Promise<Uint8Array>])[] = [
  ['image/png', async (orientation) => orientPng(png, orientation)],
  [
    'image/jpeg',
    async (orientation) => orientJpeg(await new Bun.Image(png).jpeg({ quality: 95 }).bytes(), orientation),
  ],
  [
    'image/webp',
    async (orientation) =>
      orientWebp(await new Bun.Image(png).webp({ lossless: true }).bytes(), width, height, orientation),
  ],
];

test.each(FORMATS)('an %s is upright, whatever its orientation', async (type, make) => {
  for (const [orientation, displayed] of Object.entries(DISPLAYED)) {
    const picture = await make(Number(orientation));
    const turned = displayed.endsWith('tall');
    const shown = turned ? { width: height, height: width } : { width, height };
    // One size alone; and several, the smaller of which are made from the largest.
    for (const shrinks of [[2], [1, 4]]) {
      const sizes = shrinks.map((shrink) => ({ width: shown.width / shrink, height: shown.height / shrink }));
      const [, ...files] = (await makeFiles(picture, { type, ...shown, sizes })) ?? [];
      expect(files).toHaveLength(sizes.length);
      for (const [index, file] of files.entries()) {
        expect(await new Bun.Image(file).metadata()).toEqual({ format: 'webp', ...sizes[index] } as never);
        expect(await lettersOf(file)).toBe(displayed);
      }
    }
  }
});

test('a tile has 25 kB at most, whatever it shows, and a larger preview the usual quality', async () => {
  const whole = { width: 640, height: 480 };
  const sizes = [{ width: 320, height: 240 }, whole];
  const [, ...files] = (await makeFiles(noise(whole), { type: 'image/png', ...whole, sizes })) ?? [];
  const [tile, large] = files.map((file) => file.length);
  expect(tile).toBeLessThanOrEqual(25_000);
  expect(large).toBeGreaterThan(100_000);
});

/** The end of a PNG whose header claims so many pixels, and which has no image data. */
async function endOf(width: number, height: number): Promise<unknown> {
  const header = Buffer.from(png);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
  const order = { type: 'image/png', width, height, sizes: [{ width: 160, height: 160 }] } as const;
  return makeFiles(header, order).catch((error) => error.code);
}

test('a picture of 100 megapixels is decoded, and one with a row more is not', async () => {
  expect(await endOf(10_000, 10_000)).toBe('ERR_IMAGE_DECODE_FAILED');
  expect(await endOf(10_000, 10_001)).toBe('ERR_IMAGE_TOO_MANY_PIXELS');
});

test("a picture that doesn't match its item is not decoded", async () => {
  const size = [{ width: 120, height: 60 }];
  expect(await makeFiles(png, { type: 'image/png', width, height, sizes: size })).toHaveLength(2);
  expect(await makeFiles(png, { type: 'image/jpeg', width, height, sizes: size })).toBeNull();
  expect(await makeFiles(png, { type: 'image/png', width: width + 1, height, sizes: size })).toBeNull();
  // A GIF of 240 x 120 whose first picture is a single pixel.
  const gif = Buffer.from(
    '474946383961f0007800800000ff000000ff002c0a0005000100010000020244010 03b'.replace(' ', ''),
    'hex',
  );
  expect(await makeFiles(gif, { type: 'image/gif', width, height, sizes: size })).toBeNull();
});
