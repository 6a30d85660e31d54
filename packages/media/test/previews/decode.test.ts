import { describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import type { MediaType, PreviewSize } from '@postshelf/domain';
import { orientJpeg, orientPng, orientWebp, pngChunk } from '@postshelf/testing/fixtures';
import { readPixels, writePixels } from '../../src/decoder/canvas.ts';
import { makeFiles } from '../../src/decoder/previews.ts';
import { animatedWebp, gifOf } from '../support/frames.ts';
import { lettersOf, noise, QUADRANTS, quadrants } from '../support/quadrants.ts';

const { width, height } = QUADRANTS;

/** How a picture is displayed for each EXIF orientation (EXIF 2.32, tag 0x0112). */
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
];

test.each(FORMATS)('a preview of %s is upright, whatever the orientation', async (type, make) => {
  for (const [orientation, displayed] of Object.entries(DISPLAYED)) {
    const picture = await make(Number(orientation));
    const turned = displayed.endsWith('tall');
    const shown = turned ? { width: height, height: width } : { width, height };
    // The test requests a single size, and then several sizes, of which the smaller ones are made from the largest.
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

test('the preview for a tile has at most 25 kB, whatever it shows, but a larger preview may have more', async () => {
  const whole = { width: 640, height: 480 };
  const sizes = [{ width: 320, height: 240 }, whole];
  const [, ...files] = (await makeFiles(noise(whole), { type: 'image/png', ...whole, sizes })) ?? [];
  const [tile, large] = files.map((file) => file.length);
  expect(tile).toBeLessThanOrEqual(25_000);
  expect(large).toBeGreaterThan(100_000);
});

/** Returns how decoding ends for a PNG whose header claims this many pixels, and which has no image data. */
async function endOf(width: number, height: number): Promise<unknown> {
  const header = Buffer.from(png);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
  const order = { type: 'image/png', width, height, sizes: [{ width: 160, height: 160 }] } as const;
  return makeFiles(header, order).catch((error) => error.code);
}

test('an image of 100 megapixels is decoded, but not one with another row of pixels', async () => {
  expect(await endOf(10_000, 10_000)).toBe('ERR_IMAGE_DECODE_FAILED');
  expect(await endOf(10_000, 10_001)).toBe('ERR_IMAGE_TOO_MANY_PIXELS');
});

/**
 * Makes previews of these sizes for an item that claims to have the dimensions `known`, which may differ from the
 * picture's. Returns the size and the colours of each preview.
 */
async function shownOf(bytes: Uint8Array, type: MediaType, known: PreviewSize, sizes: readonly PreviewSize[]) {
  const [, ...files] = (await makeFiles(bytes, { type, ...known, sizes })) ?? [];
  return Promise.all(
    files.map(async (file) => {
      const { width, height } = await new Bun.Image(file).metadata();
      return { width, height, letters: await lettersOf(file) };
    }),
  );
}

test('a preview has the proportions of the decoded image, even if its item has others', async () => {
  const sizes = [{ width: 60, height: 120 }];
  const shown = [{ width: 60, height: 30, letters: 'rgbw wide' }];
  expect(await shownOf(png, 'image/png', { width: height, height: width }, sizes)).toEqual(shown);
  expect(await shownOf(png, 'image/png', { width: width + 1, height: height + 7 }, sizes)).toEqual(shown);
  // Browsers ignore the orientation of a WebP, but items of earlier releases have one.
  const webp = orientWebp(await new Bun.Image(png).webp({ lossless: true }).bytes(), width, height, 6);
  expect(await shownOf(webp, 'image/webp', { width: height, height: width }, sizes)).toEqual(shown);
});

test('an image of another type than its item is not decoded', async () => {
  const size = [{ width: 120, height: 60 }];
  expect(await makeFiles(png, { type: 'image/png', width, height, sizes: size })).toHaveLength(2);
  expect(await makeFiles(png, { type: 'image/jpeg', width, height, sizes: size })).toBeNull();
  expect(await makeFiles(png, { type: 'image/gif', width, height, sizes: size })).toBeNull();
});

describe('a first frame that does not fill the canvas', () => {
  const place = { left: 60, top: 30, width: 120, height: 60 };
  const canvas = { width: 240, height: 120 };
  /** Points of the canvas, with the colours there. The frame fills the middle of a canvas of twice its size. */
  const COLOURS = [
    [30, 16, 'nothing'],
    [70, 40, 'red'],
    [170, 40, 'green'],
    [70, 80, 'blue'],
    [170, 80, 'white'],
    [200, 100, 'nothing'],
  ] as const;

  test.each([
    ['of a GIF', 'image/gif', canvas, async () => gifOf(canvas, place)],
    ['of a GIF 87a', 'image/gif', canvas, async () => gifOf(canvas, place, { version: '87a' })],
    [
      'of a GIF whose screen it enlarges',
      'image/gif',
      { width: 240, height: 90 },
      async () => gifOf({ width: 240, height: 10 }, place),
    ],
    ['of an animated WebP', 'image/webp', canvas, async () => animatedWebp(canvas, place)],
  ] as const)('keeps its position in the preview %s', async (_, type, known, make) => {
    const bytes = await make();
    for (const shrink of [1, 2]) {
      const size = { width: known.width / shrink, height: known.height / shrink };
      const [, file] = (await makeFiles(bytes, { type, ...known, sizes: [size] })) ?? [];
      const colours = await coloursIn(file ?? new Uint8Array());
      const points = COLOURS.filter(([, y]) => y < known.height);
      expect(points.map(([x, y]) => colours(x / shrink, y / shrink))).toEqual(points.map(([, , colour]) => colour));
    }
  });

  test('may have no pixels', async () => {
    const bytes = gifOf(canvas, { ...place, width: 0, height: 0 });
    const [, file] = (await makeFiles(bytes, { type: 'image/gif', ...canvas, sizes: [canvas] })) ?? [];
    expect((await coloursIn(file ?? new Uint8Array()))(100, 60)).toBe('nothing');
  });

  test('is shown completely if it is larger than the logical screen of its GIF', async () => {
    const bytes = gifOf({ width: 20, height: 10 }, { left: 0, top: 0, ...QUADRANTS });
    expect(await shownOf(bytes, 'image/gif', QUADRANTS, [QUADRANTS])).toEqual([{ ...QUADRANTS, letters: 'rgbw wide' }]);
  });
});

async function coloursIn(file: Uint8Array): Promise<(x: number, y: number) => string> {
  const { width: across, rows } = readPixels(await new Bun.Image(file).png().bytes());
  return (x, y) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rows.subarray(4 * (y * across + x));
    if (alpha < 10) return 'nothing';
    const bits = [red, green, blue].map((value) => (value > 230 ? 1 : value < 25 ? 0 : 9)).join('');
    return { '100': 'red', '010': 'green', '001': 'blue', '111': 'white' }[bits] ?? `${red} ${green} ${blue} ${alpha}`;
  };
}

describe('colours hidden under transparent pixels', () => {
  const [SMALL, LARGE] = [
    { width: 320, height: 160 },
    { width: 3000, height: 1500 },
  ];

  /** Returns a checkerboard: every other square is opaque, and the transparent squares hide white. */
  function cloth({ width, height }: PreviewSize, field: number): Uint8Array {
    const rows = new Uint8Array(4 * width * height);
    for (let at = 0; at < width * height; at += 1) {
      const isSeen = (Math.floor((at % width) / field) + Math.floor(at / width / field)) % 2 === 0;
      rows.set(isSeen ? [200, 60, 50, 255] : [255, 255, 255, 0], 4 * at);
    }
    return writePixels({ width, height, rows, profile: null });
  }

  test.each([
    ['PNG', 'image/png', SMALL, async () => cloth(SMALL, 1)],
    ['WebP', 'image/webp', SMALL, () => new Bun.Image(cloth(SMALL, 1)).webp({ lossless: true }).bytes()],
    ['PNG above the limit for premultiplied alpha', 'image/png', LARGE, async () => cloth(LARGE, 15)],
  ] as const)('are not mixed into the preview of a %s', async (_, type, known, make) => {
    const sizes = [200, 160, 60].map((across) => ({ width: across, height: across / 2 }));
    const [, ...files] = (await makeFiles(await make(), { type, ...known, sizes })) ?? [];
    expect(files).toHaveLength(sizes.length);
    for (const file of files) {
      const { rows } = readPixels(await new Bun.Image(file).png().bytes());
      let [sum, alphas] = [[0, 0, 0], 0];
      for (let at = 0; at < rows.length; at += 4) {
        const alpha = rows[at + 3] ?? 0;
        sum = sum.map((value, channel) => value + alpha * (rows[at + channel] ?? 0));
        alphas += alpha;
      }
      const seen = sum.map((value) => Math.round(value / alphas));
      const off = [200, 60, 50].map((value, channel) => Math.abs(value - (seen[channel] ?? 0)));
      expect({ seen, isClose: Math.max(...off) <= 12 }).toEqual({ seen, isClose: true });
      expect((8 * alphas) / rows.length / 255).toBeCloseTo(1, 1);
    }
  });
});

test('a PNG whose zlib header claims too small a window gets a preview', async () => {
  const whole = Buffer.from(png);
  const data = whole.indexOf('IDAT') + 4;
  const length = whole.readUInt32BE(data - 8);
  // Windows of 256 bytes, which are shorter than a row.
  const bytes = Buffer.concat([Buffer.from([0x08, 0x1d]), png.subarray(data + 2, data + length)]);
  const claiming = Buffer.concat([png.subarray(0, data - 8), pngChunk('IDAT', bytes), png.subarray(data + length + 4)]);
  const [, file] = (await makeFiles(claiming, { type: 'image/png', ...QUADRANTS, sizes: [QUADRANTS] })) ?? [];
  expect(await lettersOf(file ?? new Uint8Array())).toBe(DISPLAYED[1] ?? '');
});

test('a truecolour PNG with its transparent colour before its palette gets a preview', async () => {
  const afterHeader = 33;
  const chunks = [pngChunk('tRNS', Buffer.from([0, 255, 0, 0, 0, 0])), pngChunk('PLTE', Buffer.from([255, 0, 0]))];
  const bytes = Buffer.concat([png.subarray(0, afterHeader), ...chunks, png.subarray(afterHeader)]);
  const [, file] = (await makeFiles(bytes, { type: 'image/png', ...QUADRANTS, sizes: [QUADRANTS] })) ?? [];
  const colours = await coloursIn(file ?? new Uint8Array());
  expect([colours(30, 30), colours(200, 30), colours(30, 90)]).toEqual(['nothing', 'green', 'blue']);
});

test('a GIF without a colour table gets a preview', async () => {
  const bytes = gifOf(QUADRANTS, { left: 0, top: 0, ...QUADRANTS }, { hasTable: false });
  expect(await shownOf(bytes, 'image/gif', QUADRANTS, [QUADRANTS])).toHaveLength(1);
});

test('a JPEG with a video where its end marker should be gets a preview', async () => {
  const jpeg = await new Bun.Image(png).jpeg({ quality: 95 }).bytes();
  const video = Buffer.from('0000001866747970ff02ffe0ffc00011ff55ffdaffd8', 'hex');
  const bytes = Buffer.concat([jpeg.subarray(0, -2), Buffer.from('\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data'), video]);
  expect(await shownOf(bytes, 'image/jpeg', QUADRANTS, [QUADRANTS])).toEqual([{ ...QUADRANTS, letters: 'rgbw wide' }]);
});
