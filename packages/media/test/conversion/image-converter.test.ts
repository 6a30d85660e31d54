import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type ConvertedType, isSound } from '@postshelf/domain';
import { TiffBlock } from '@postshelf/domain/formats';
import {
  colourNumbers,
  colourProfile,
  exifItem,
  gridOf,
  HEIF_FIXTURE_NAMES,
  type HeifFixtureName,
  heifFixture,
  imageSize,
  PLACE_DATE,
  PLACE_TEXT,
  PLACE_VALUE,
  placeExif,
  readHeif,
  sourceOf,
  writeHeif,
} from '@postshelf/testing/fixtures';
import { readPixels } from '../../src/decoder/canvas.ts';
import { BT709, displayProfile } from '../../src/decoder/colour-profile.ts';
import { createImageConverter, createMediaInspector } from '../../src/index.ts';
import { DECODER } from '../support/decoder.ts';
import { Playground } from '../support/scripts.ts';

const converter = createImageConverter({ decoder: { command: DECODER }, libheif: null });
const inspector = createMediaInspector();
const never = new AbortController().signal;

async function convert(file: Uint8Array, type: ConvertedType = 'image/heic', by = converter): Promise<Buffer | null> {
  const made = await by.convert(sourceOf(file), type, never);
  if (made === null) return null;
  await using kept = made;
  return Buffer.concat(await Array.fromAsync(kept.body()));
}

const typeOf = (name: HeifFixtureName): ConvertedType => (name.endsWith('.avif') ? 'image/avif' : 'image/heic');

const converted = new Map<HeifFixtureName, Promise<Buffer>>();

/** Converts a fixture, and returns the result. The result is cached. */
function convertFixture(name: HeifFixtureName): Promise<Buffer> {
  const make = async () => (await convert((await heifFixture(name)).file, typeOf(name))) ?? expect.unreachable();
  const known = converted.get(name) ?? make();
  converted.set(name, known);
  return known;
}

const pixelsOf = async (bytes: Uint8Array) =>
  readPixels(await new Bun.Image(bytes, { autoOrient: false }).png().bytes());

/** Returns the mean difference of the samples of two images. */
async function difference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [one, other] = await Promise.all([pixelsOf(a), pixelsOf(b)]);
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  return one.rows.reduce((sum, sample, at) => sum + Math.abs(sample - (other.rows[at] ?? 0)), 0) / one.rows.length;
}

const TRANSPARENT: readonly HeifFixtureName[] = ['alpha.heic', 'alpha.avif'];

describe('a converted image', () => {
  // JPEG halves the chroma a second time, which changes colours slightly, mostly at edges. A picture that is turned,
  // mirrored or otherwise wrong would differ by 40.
  test.each(HEIF_FIXTURE_NAMES)('of %s looks like the result of other decoders', async (name) => {
    const { file, shown } = await heifFixture(name);
    const made = await convert(file, typeOf(name));
    if (made === null) return expect.unreachable();
    const facts = await inspector.inspect(sourceOf(made));
    const isTransparent = TRANSPARENT.includes(name);
    expect(facts).toMatchObject({
      type: isTransparent ? 'image/png' : 'image/jpeg',
      details: { image: { frames: 1 } },
    });
    expect(await difference(made, shown)).toBeLessThan(isTransparent ? 0.5 : 4);
  });

  test.each(['photo.heic', 'photo.avif'] as const)(
    'of %s keeps its date, coordinates, texts and profile',
    async (name) => {
      const made = await convertFixture(name);
      const exif = made.subarray(made.indexOf('Exif\0\0') + 6);
      const block = TiffBlock.of(exif) ?? expect.unreachable();
      expect(block.entries(block.first, 9)?.find(({ tag }) => tag === 0x0112)).toMatchObject({ count: 1 });
      expect(isSound(await inspector.inspect(sourceOf(made)))).toBe(true);
      for (const kept of [PLACE_DATE, PLACE_VALUE, 'A tower', PLACE_TEXT, 'Iptc4xmpExt:City', 'ICC_PROFILE'])
        expect(made.includes(kept)).toBe(true);
    },
  );

  test.each(['photo.heic', 'alpha.avif'] as const)('of %s is always the same file', async (name) => {
    const made = await convertFixture(name);
    // The result doesn't depend on the declared type.
    const again = await convert((await heifFixture(name)).file, 'image/heif');
    expect(again && Buffer.compare(made, again)).toBe(0);
  });

  test('keeps an RGB profile unchanged and drops a CMYK one', async () => {
    const { items, ...file } = readHeif((await heifFixture('plain.heic')).file);
    const profile = displayProfile(BT709, { gamma: 1.8 }) ?? expect.unreachable();
    const coloured = items.map((item) => ({
      ...item,
      properties: [...(item.properties ?? []), colourProfile(profile)],
    }));
    const made = await convert(writeHeif({ ...file, items: coloured }));
    expect(made?.includes(profile)).toBe(true);
    const alpha = readHeif((await heifFixture('alpha.heic')).file);
    const transparent = alpha.items.map((item) =>
      item.id === alpha.primary ? { ...item, properties: [...(item.properties ?? []), colourProfile(profile)] } : item,
    );
    expect((await convert(writeHeif({ ...alpha, items: transparent })))?.includes('iCCP')).toBe(true);
    // With a CMYK profile, a decoder would misread the RGB samples.
    const foreign = Buffer.from(profile);
    foreign.write('CMYK', 16, 'latin1');
    const wrong = items.map((item) => ({ ...item, properties: [...(item.properties ?? []), colourProfile(foreign)] }));
    expect((await convert(writeHeif({ ...file, items: wrong })))?.includes('ICC_PROFILE')).toBe(false);
  });

  test('with a video transfer curve looks as in browsers, which use the sRGB curve', async () => {
    const { items, ...file } = readHeif((await heifFixture('plain.heic')).file);
    const withCurve = (transfer: number) => {
      const numbers = colourNumbers(12, transfer, 6, true);
      return convert(
        writeHeif({
          ...file,
          items: items.map((item) => ({ ...item, properties: [...(item.properties ?? []), numbers] })),
        }),
      );
    };
    const usual = (await withCurve(13)) ?? expect.unreachable();
    expect(usual.includes('ICC_PROFILE')).toBe(true);
    for (const transfer of [1, 6, 14, 15]) expect((await withCurve(transfer))?.equals(usual)).toBe(true);
    expect((await withCurve(4))?.equals(usual)).toBe(false);
  });

  test('keeps the part of long EXIF data that fits into a JPEG', async () => {
    const { file } = await heifFixture('plain.heic');
    const { items, primary, ...rest } = readHeif(file);
    const exif = Buffer.concat([placeExif(3, true, new Uint8Array(60_000)), new Uint8Array(100_000)]);
    const described = { id: 99, type: 'Exif', data: exifItem(exif), references: { cdsc: [primary ?? 0] } };
    const made = await convert(writeHeif({ ...rest, primary, items: [...items, described] }));
    expect(made?.includes(PLACE_DATE)).toBe(true);
    expect(made?.length).toBeLessThan(20_000);
  });
});

describe('converting an image', () => {
  test.each(['photo.heic', 'alpha.avif', 'sequence.heic'] as const)(
    'fails for %s wherever it is truncated',
    async (name) => {
      const { file } = await heifFixture(name);
      for (const part of [0.02, 0.3, 0.6, 0.98])
        expect(await convert(file.subarray(0, Math.floor(file.length * part)), typeOf(name))).toBeNull();
      expect(await convert(Buffer.concat([file, Buffer.from('\0\0\0\x10mpvdLivephoto')]), typeOf(name))).not.toBeNull();
    },
  );

  test('fails without an image, with too many pixels, with a self-reference or with a missing tile', async () => {
    const { items, ...file } = readHeif((await heifFixture('photo.heic')).file);
    const change = (data: Uint8Array, size: Uint8Array, tiles: readonly number[]) =>
      writeHeif({
        ...file,
        items: items.map((item) =>
          item.type === 'grid' ? { ...item, data, properties: [size], references: { dimg: tiles } } : item,
        ),
      });
    const tiles = items.filter(({ type }) => type === 'hvc1').map(({ id }) => id);
    const four = tiles.slice(0, 4);
    const sound = [gridOf(2, 2, 180, 120), imageSize(180, 120)] as const;
    expect(await convert(change(...sound, four))).not.toBeNull();
    for (const hostile of [
      writeHeif({ ...file, items: [], primary: 1 }),
      writeHeif({ ...file, items, primary: 777 }),
      change(gridOf(200, 200, 60_000, 60_000), imageSize(60_000, 60_000), Array(40_000).fill(four[0])),
      change(gridOf(2, 2, 180, 120), imageSize(180, 120), [10, 10, 10, 10]),
      change(gridOf(2, 2, 180, 120), imageSize(180, 120), four.slice(1)),
      change(gridOf(2, 2, 60_000, 60_000), imageSize(180, 120), four),
      Buffer.from('\0\0\0\x10ftypheic\0\0\0\0'),
    ])
      expect(await convert(hostile)).toBeNull();
  });

  test('fails if the child takes too much time or the file is too large', async () => {
    const { file } = await heifFixture('plain.heic');
    await using playground = await Playground.open();
    // The kernel sends this signal at the limit on CPU time, which a test of previews really uses up.
    const hangs = await playground.script('printf "postshelf previews 1\\n"', 'kill -XCPU $$');
    expect(
      await convert(file, 'image/heic', createImageConverter({ decoder: { command: [hangs] }, libheif: null })),
    ).toBeNull();
    const large = { size: 256 * 1024 * 1024 + 1, read: () => expect.unreachable() };
    expect(await converter.convert(large, 'image/heic', never)).toBeNull();
  });
});

const UNAVAILABLE = { problem: { code: 'unavailable' } };

test('a configured libheif replaces the bundled one', async () => {
  const { file, shown } = await heifFixture('plain.heic');
  const own = new URL(import.meta.resolve('libheif-js/libheif-wasm/libheif-bundle.mjs')).pathname;
  await using playground = await Playground.open();
  const copy = join(playground.path, 'libheif.mjs');
  await Bun.write(copy, Bun.file(own));
  const other = (libheif: string) => createImageConverter({ decoder: { command: DECODER }, libheif });
  expect(await difference((await convert(file, 'image/heic', other(copy))) ?? shown.slice(0, 0), shown)).toBeLessThan(
    4,
  );
  const missing = other(join(playground.path, 'missing.mjs'));
  expect(await convert(file, 'image/heic', missing).catch((error: unknown) => error)).toMatchObject(UNAVAILABLE);
});

test('a conversion fails as unavailable, whatever the image, if no child process can be started', async () => {
  const { file } = await heifFixture('plain.heic');
  const nowhere = createImageConverter({ decoder: { command: ['/nowhere/program'] }, libheif: null });
  expect(await convert(file, 'image/heic', nowhere).catch((error: unknown) => error)).toMatchObject(UNAVAILABLE);
});
