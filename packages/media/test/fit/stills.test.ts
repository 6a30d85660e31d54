import { expect } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { type FitAttempt, type FitOrder, isSound, type MediaType, type PreviewSize } from '@postshelf/domain';
import {
  insertIntoJpeg,
  insertIntoPng,
  jpegSegment,
  orientJpeg,
  orientPng,
  orientWebp,
  pngChunk,
  sourceOf,
  webpChunk,
} from '@postshelf/testing/fixtures';
import { testsThatNeed } from '@postshelf/testing/programs';
import { readPixels } from '../../src/decoder/canvas.ts';
import { type Chromaticities, type Curve, displayProfile } from '../../src/decoder/colour-profile.ts';
import { makeFiles } from '../../src/decoder/previews.ts';
import { createMediaFitter, createMediaInspector } from '../../src/index.ts';
import { DECODER } from '../support/decoder.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import {
  ANIMATION,
  animatedWebp,
  GIF_END,
  GRAPHIC_CONTROL,
  gifFrame,
  gifOf,
  gifStart,
  webpFrame,
  webpHeader,
  webpOf,
} from '../support/frames.ts';
import { lettersOf, QUADRANTS, quadrants } from '../support/quadrants.ts';

const { describe, test } = testsThatNeed(['ffmpeg'], 'images that are made to fit');

const decoder = { command: DECODER };
const fitter = createMediaFitter({ ffmpegPath: ffmpeg, decoder });
const inspector = createMediaInspector();

async function fit(bytes: Uint8Array, from: MediaType, attempt: FitAttempt): Promise<Buffer> {
  const order: FitOrder = {
    ...{ how: 'pad', from, attempt, maxBytes: 100_000_000, maxTimeMs: 120_000 },
    signal: new AbortController().signal,
  };
  const made = await fitter.make(sourceOf(bytes), order);
  if (typeof made === 'string') throw new Error(`Nothing was made: ${made}`);
  await using file = made;
  return Buffer.concat(await Array.fromAsync(file.body()));
}

const fitImage = (bytes: Uint8Array, from: MediaType, size: PreviewSize, type: 'jpeg' | 'png' | 'webp' = 'png') =>
  fit(bytes, from, { type: `image/${type}`, ...size, quality: 95 });

async function sizeOf(bytes: Uint8Array): Promise<PreviewSize> {
  const facts = await inspector.inspect(sourceOf(bytes));
  if (!isSound(facts)) throw new Error('It is not accepted.');
  return { width: facts.width, height: facts.height };
}

/** Returns red, green, blue and opacity of each pixel. */
const pixelsOf = async (bytes: Uint8Array): Promise<Uint8Array> =>
  readPixels(await new Bun.Image(bytes, { autoOrient: false }).png().bytes()).rows;

/** Returns the mean difference between the colours of two pictures. Mostly transparent pixels are left out. */
function difference(a: Uint8Array, b: Uint8Array): number {
  let [sum, count] = [0, 0];
  for (let at = 0; at < a.length; at += 4) {
    expect(Math.abs((a[at + 3] ?? 0) - (b[at + 3] ?? 0))).toBeLessThan(40);
    if ((a[at + 3] ?? 0) < 128) continue;
    for (const channel of [0, 1, 2]) sum += Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0));
    count += 3;
  }
  return count === 0 ? 0 : sum / count;
}

const D65 = [0.3127, 0.329] as const;
const ADOBE_RGB: Chromaticities = [D65, [0.64, 0.33], [0.21, 0.71], [0.15, 0.06]];
const DISPLAY_P3: Chromaticities = [D65, [0.68, 0.32], [0.265, 0.69], [0.15, 0.06]];
const PROPHOTO: Chromaticities = [
  [0.3457, 0.3585],
  [0.7347, 0.2653],
  [0.1596, 0.8404],
  [0.0366, 0.0001],
];

const profile = (space: Chromaticities, curve: Curve): Uint8Array =>
  displayProfile(space, curve) ?? expect.unreachable();

const profileChunk = (content: Uint8Array): Uint8Array =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('name\0\0', 'latin1'), deflateSync(content)]));

type Colour = readonly [red: number, green: number, blue: number];

const PATCH = { width: 40, height: 30 };

/** Returns a PNG of one colour, with these chunks after its header. */
function patch([red, green, blue]: Colour, ...chunks: readonly Uint8Array[]): Buffer {
  const row = Buffer.from([0, ...Array.from({ length: PATCH.width }, () => [red, green, blue]).flat()]);
  return pngOf([8, 2], Buffer.concat(Array.from({ length: PATCH.height }, () => row)), ...chunks);
}

/** Returns a PNG with these rows. @param form the bits of a sample, and the colour type */
function pngOf(form: readonly [number, number], rows: Uint8Array, ...chunks: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(PATCH.width, 0);
  header.writeUInt32BE(PATCH.height, 4);
  header.set([...form, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

const asWebp = (png: Uint8Array) => new Bun.Image(png).webp({ lossless: true }).bytes();
const asJpeg = (png: Uint8Array) => new Bun.Image(png).jpeg({ quality: 100 }).bytes();

const fixed = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

/** Returns a profile for grey with a linear curve. */
function greyProfile(): Buffer {
  const bytes = Buffer.alloc(144 + 12);
  bytes.write('GRAYXYZ ', 16, 'latin1');
  bytes.write('acsp', 36, 'latin1');
  bytes.writeUInt32BE(1, 128);
  bytes.write('kTRC', 132, 'latin1');
  bytes.writeUInt32BE(144, 136);
  bytes.writeUInt32BE(12, 140);
  bytes.write('curv', 144, 'latin1');
  return bytes;
}

const greyRows = (value: number): Buffer =>
  Buffer.concat(Array.from({ length: PATCH.height }, () => Buffer.from([0, ...Array(PATCH.width).fill(value)])));

/** Returns rows with samples of sixteen bits. The upper byte is the colour, and the lower byte is always 8. */
const deepRows = ([red, green, blue]: Colour): Buffer => {
  const row = Array.from({ length: PATCH.width }, () => [red, 8, green, 8, blue, 8]).flat();
  return Buffer.concat(Array.from({ length: PATCH.height }, () => Buffer.from([0, ...row])));
};

/** The colour (30, 180, 60) of sRGB, in each of these spaces. */
const GREEN: Colour = [30, 180, 60];
const IN_ADOBE_RGB: Colour = [104, 179, 72];
const IN_DISPLAY_P3: Colour = [85, 177, 77];
/**
 * A second colour of sRGB, in each of these spaces. It hardly changes when its samples are rounded, even in a JPEG or
 * in a space where neighbouring samples are far apart.
 */
const TAN: Colour = [180, 140, 100];
const TAN_IN_ADOBE_RGB: Colour = [168, 139, 102];
const TAN_IN_DISPLAY_P3: Colour = [174, 142, 106];
const TAN_IN_PROPHOTO: Colour = [141, 125, 89];

const inAdobeRgb = (colour = IN_ADOBE_RGB) => patch(colour, profileChunk(profile(ADOBE_RGB, { gamma: 2.2 })));
const inDisplayP3 = (colour = IN_DISPLAY_P3) => patch(colour, profileChunk(profile(DISPLAY_P3, 'sRGB')));
/**
 * Returns an animation with a profile.
 *
 * @param flags the flags of its header (RFC 9649, section 2.7): 0x20 declares the profile
 */
async function animatedInDisplayP3(colour: Colour, flags: number): Promise<Buffer> {
  const picture = (await asWebp(patch(colour))).subarray(12);
  const space = webpChunk('ICCP', profile(DISPLAY_P3, 'sRGB'));
  return webpOf(webpHeader(PATCH, flags), space, ANIMATION, webpFrame({ left: 0, top: 0, ...PATCH }, picture));
}
const inProphoto = () => patch(TAN_IN_PROPHOTO, profileChunk(profile(PROPHOTO, { gamma: 1.8 })));

describe('a fitted image', () => {
  test.each<[string, MediaType, () => Uint8Array | Promise<Uint8Array>, Colour]>([
    ['PNG in Adobe RGB', 'image/png', () => inAdobeRgb(), GREEN],
    ['WebP in Adobe RGB', 'image/webp', () => asWebp(inAdobeRgb()), GREEN],
    ['JPEG in Adobe RGB', 'image/jpeg', () => asJpeg(inAdobeRgb(TAN_IN_ADOBE_RGB)), TAN],
    ['PNG in Display P3', 'image/png', () => inDisplayP3(), GREEN],
    ['WebP in Display P3', 'image/webp', () => asWebp(inDisplayP3()), GREEN],
    ['animated WebP in Display P3', 'image/webp', () => animatedInDisplayP3(IN_DISPLAY_P3, 0x22), GREEN],
    [
      'animated WebP whose header announces no profile',
      'image/webp',
      () => animatedInDisplayP3(IN_DISPLAY_P3, 0x02),
      IN_DISPLAY_P3,
    ],
    ['JPEG in Display P3', 'image/jpeg', () => asJpeg(inDisplayP3(TAN_IN_DISPLAY_P3)), TAN],
    ['PNG in ProPhoto RGB', 'image/png', inProphoto, TAN],
    ['JPEG in ProPhoto RGB', 'image/jpeg', () => asJpeg(inProphoto()), TAN],
    [
      'PNG in Display P3 by cICP',
      'image/png',
      () => patch(IN_DISPLAY_P3, pngChunk('cICP', Buffer.of(12, 13, 0, 1))),
      GREEN,
    ],
    [
      'PNG in Adobe RGB by gAMA and cHRM',
      'image/png',
      () => {
        const space = fixed(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6000);
        return patch(IN_ADOBE_RGB, pngChunk('gAMA', fixed(45_455)), pngChunk('cHRM', space));
      },
      GREEN,
    ],
    [
      'PNG in linear light by gAMA',
      'image/png',
      () => patch([55, 55, 55], pngChunk('gAMA', fixed(100_000))),
      [128, 128, 128],
    ],
    [
      'grey PNG in linear light',
      'image/png',
      () => pngOf([8, 0], greyRows(55), profileChunk(greyProfile())),
      [128, 128, 128],
    ],
    [
      'grey JPEG in linear light',
      'image/jpeg',
      async () => {
        const segment = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), greyProfile()]);
        return insertIntoJpeg(await asJpeg(patch([55, 55, 55])), jpegSegment(2, segment));
      },
      [128, 128, 128],
    ],
    [
      'PNG of 16 bits in Display P3',
      'image/png',
      () => pngOf([16, 2], deepRows(IN_DISPLAY_P3), profileChunk(profile(DISPLAY_P3, 'sRGB'))),
      GREEN,
    ],
    ['PNG in sRGB', 'image/png', () => patch(GREEN, pngChunk('sRGB', Buffer.of(0))), GREEN],
    ['JPEG without a profile', 'image/jpeg', () => asJpeg(patch(GREEN)), GREEN],
    ['PNG with a broken profile', 'image/png', () => patch(GREEN, profileChunk(Buffer.alloc(200, 'ab'))), GREEN],
    [
      'PNG with a profile that is cut off',
      'image/png',
      () => patch(GREEN, profileChunk(profile(ADOBE_RGB, { gamma: 2.2 }).subarray(0, 260))),
      GREEN,
    ],
    ['PNG with a profile of grey for colours', 'image/png', () => patch(GREEN, profileChunk(greyProfile())), GREEN],
    [
      'JPEG with a profile of grey for colours',
      'image/jpeg',
      async () => {
        const segment = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), greyProfile()]);
        return insertIntoJpeg(await asJpeg(patch(GREEN)), jpegSegment(2, segment));
      },
      GREEN,
    ],
  ])('has the colours of its profile but not the profile: %s', async (_what, from, make, [red, green, blue]) => {
    const bytes = await make();
    // A PNG is fitted to JPEG, and any other original to PNG and WebP, so that every type of result is tested.
    for (const type of from === 'image/png' ? (['jpeg'] as const) : (['png', 'webp'] as const)) {
      const made = await fitImage(bytes, from, PATCH, type);
      expect(made.includes('iCCP') || made.includes('ICC')).toBe(false);
      const pixels = await pixelsOf(made);
      const middle = 4 * (PATCH.width * 15 + 20);
      const shown = [...pixels.subarray(middle, middle + 3)];
      const off = [red, green, blue].map((value, index) => Math.abs(value - (shown[index] ?? 0)));
      expect({ shown, isClose: Math.max(...off) <= 4 }).toEqual({ shown, isClose: true });
    }
  });

  test('has the colours of its profile: WebP with transparency in Display P3', async () => {
    const [r, g, b] = IN_DISPLAY_P3;
    const row = Buffer.from([0, ...Array.from({ length: PATCH.width }, (_, x) => [r, g, b, x < 20 ? 0 : 255]).flat()]);
    const rows = Buffer.concat(Array.from({ length: PATCH.height }, () => row));
    const png = pngOf([8, 6], rows, profileChunk(profile(DISPLAY_P3, 'sRGB')));
    const pixels = await pixelsOf(await fitImage(await asWebp(png), 'image/webp', PATCH));
    const at = (x: number) => [...pixels.subarray(4 * (PATCH.width * 15 + x), 4 * (PATCH.width * 15 + x) + 4)];
    expect(at(5)[3]).toBe(0);
    expect(at(35)[3]).toBe(255);
    for (const [index, value] of GREEN.entries()) expect(Math.abs((at(35)[index] ?? 0) - value)).toBeLessThanOrEqual(2);
  });
});

const png = quadrants();
const jpeg = () => new Bun.Image(png).jpeg({ quality: 95 }).bytes();
const TURNED = { width: QUADRANTS.height, height: QUADRANTS.width };
const whole = { left: 0, top: 0, ...QUADRANTS };
const inside = { left: 60, top: 30, width: 120, height: 60 };

/** Returns a TIFF block with one orientation entry of this type (EXIF 2.32, section 4.6.2). */
function exif(type: number, value: Uint8Array): Uint8Array {
  const entry = Buffer.concat([Buffer.from([0x01, 0x12, 0, type, 0, 0, 0, 1]), value]);
  return jpegSegment(
    1,
    Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01', 'latin1'), entry, Buffer.alloc(4)]),
  );
}

const [SHORT, LONG, SLONG] = [3, 4, 9];
const short = (value: number): Uint8Array => exif(SHORT, Buffer.of(0, value, 0, 0));
const long = (value: number, type = LONG): Uint8Array => exif(type, Buffer.of(0, 0, 0, value));

describe('an unusual image', () => {
  test.each<[string, MediaType, PreviewSize, () => Uint8Array | Promise<Uint8Array>]>([
    ['JPEG without an end marker', 'image/jpeg', QUADRANTS, async () => (await jpeg()).subarray(0, -2)],
    [
      'JPEG with a video in the place of its end marker',
      'image/jpeg',
      QUADRANTS,
      async () =>
        Buffer.concat([
          (await jpeg()).subarray(0, -2),
          Buffer.from('0000001866747970ff02ffe0ffc00011ff55ffdaffd8', 'hex'),
        ]),
    ],
    ['JPEG on its side', 'image/jpeg', TURNED, async () => orientJpeg(await jpeg(), 6)],
    ['JPEG mirrored', 'image/jpeg', TURNED, async () => orientJpeg(await jpeg(), 5)],
    [
      'JPEG with an orientation of type LONG',
      'image/jpeg',
      QUADRANTS,
      async () => insertIntoJpeg(await jpeg(), long(6)),
    ],
    [
      'JPEG with an orientation of type SLONG',
      'image/jpeg',
      QUADRANTS,
      async () => insertIntoJpeg(await jpeg(), long(6, SLONG)),
    ],
    ['JPEG with two orientations', 'image/jpeg', TURNED, async () => insertIntoJpeg(await jpeg(), short(6), short(1))],
    ['PNG on its side', 'image/png', TURNED, () => orientPng(png, 8)],
    [
      'WebP whose orientation is ignored',
      'image/webp',
      QUADRANTS,
      async () => orientWebp(await asWebp(png), QUADRANTS.width, QUADRANTS.height, 6),
    ],
    ['WebP whose first frame is inside its canvas', 'image/webp', QUADRANTS, () => animatedWebp(QUADRANTS, inside)],
    ['GIF of a screen of 0 x 0', 'image/gif', QUADRANTS, () => gifOf({ width: 0, height: 0 }, whole)],
    ['GIF whose first frame is inside its screen', 'image/gif', QUADRANTS, () => gifOf(QUADRANTS, inside)],
    [
      'GIF whose first frame is larger than its screen',
      'image/gif',
      QUADRANTS,
      () => gifOf({ width: 20, height: 10 }, whole),
    ],
    ['GIF without its trailer', 'image/gif', QUADRANTS, () => gifOf(QUADRANTS, whole).subarray(0, -1)],
    [
      'truecolour PNG with a transparent colour before its palette',
      'image/png',
      QUADRANTS,
      () => {
        const chunks = [
          pngChunk('tRNS', Buffer.from([0, 255, 0, 0, 0, 0])),
          pngChunk('PLTE', Buffer.from([255, 0, 0])),
        ];
        return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
      },
    ],
    ['PNG with an unknown chunk', 'image/png', QUADRANTS, () => insertIntoPng(png, pngChunk('abCd', Buffer.alloc(9)))],
  ])('is fitted with the size, orientation and look of its preview: %s', async (_what, type, size, make) => {
    const bytes = await make();
    const [, preview = new Uint8Array()] = (await makeFiles(bytes, { type, ...size, sizes: [size] })) ?? [];
    const fitted = await fitImage(bytes, type, size);
    expect(await new Bun.Image(fitted).metadata()).toMatchObject({ format: 'png', ...size });
    const shown = await pixelsOf(preview);
    expect(difference(shown, await pixelsOf(fitted))).toBeLessThan(4);
    // A transparent pixel may have any colour.
    if (shown.every((value, at) => at % 4 !== 3 || value > 128))
      expect(await lettersOf(fitted)).toBe(await lettersOf(preview));
  });

  test('can be fitted to a much smaller size', async () => {
    const bytes = orientJpeg(await jpeg(), 6);
    const smaller = { width: TURNED.width / 4, height: TURNED.height / 4 };
    const fitted = await fitImage(bytes, 'image/jpeg', smaller, 'jpeg');
    expect(await lettersOf(fitted)).toBe('brwg tall');
    expect(await new Bun.Image(fitted).metadata()).toMatchObject(smaller);
  });

  test.each<[string, () => Uint8Array]>([
    ['of a screen of 0 x 0', () => animatedGif({ width: 0, height: 0 }, whole)],
    ['whose first frame is inside its screen', () => animatedGif(QUADRANTS, inside)],
    ['whose first frame is larger than its screen', () => animatedGif({ width: 20, height: 10 }, whole)],
  ])('is fitted with the size and look of its preview: animated GIF %s', async (_what, make) => {
    const bytes = make();
    expect(await sizeOf(bytes)).toEqual(QUADRANTS);
    const rates = { frameRate: 10, maxBitrate: 5_000_000, minBitrate: 0, sampleRate: 48_000, audioBitrate: 128_000 };
    const attempt = { type: 'video/mp4', ...QUADRANTS, quality: 90, ...rates, maxDurationMs: null } as const;
    const video = await fit(bytes, 'image/gif', attempt);
    const output = ['-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png', '-pix_fmt', 'rgba', '-'];
    const child = Bun.spawn([ffmpeg, '-v', 'error', '-i', 'pipe:0', ...output], { stdin: video });
    const frame = await new Response(child.stdout).bytes();
    expect(await new Bun.Image(frame).metadata()).toMatchObject(QUADRANTS);
    const [, preview = new Uint8Array()] =
      (await makeFiles(bytes, { type: 'image/gif', ...QUADRANTS, sizes: [QUADRANTS] })) ?? [];
    const [shown, made] = [await pixelsOf(preview), await pixelsOf(frame)];
    for (let at = 3; at < shown.length; at += 4) made[at] = shown[at] ?? 0;
    expect(difference(shown, made)).toBeLessThan(10);
  });
});

/** Returns an animation of two frames, a tenth of a second apart. */
function animatedGif(screen: PreviewSize, frame: Parameters<typeof gifFrame>[0]): Buffer {
  const control = Buffer.from(GRAPHIC_CONTROL);
  control.writeUInt16LE(10, 4);
  const one = Buffer.concat([control, gifFrame(frame)]);
  return Buffer.concat([gifStart(screen), one, one, GIF_END]);
}
