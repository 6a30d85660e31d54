import { describe, expect, test } from 'bun:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { insertIntoPng, pngChunk } from '@postshelf/testing/fixtures';
import { colourChunkOf } from '../../src/decoder/png-colours.ts';
import { makeFiles } from '../../src/decoder/previews.ts';
import { QUADRANTS, quadrants } from '../support/quadrants.ts';

const png = quadrants();

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

const gamma = (value: number) => pngChunk('gAMA', numbers(value));
const chromaticities = (...values: readonly number[]) => pngChunk('cHRM', numbers(...values));
const coded = (primaries: number, transfer: number) => pngChunk('cICP', Buffer.from([primaries, transfer, 0, 1]));

const profileChunk = (profile: Uint8Array): Uint8Array =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('name\0\0', 'latin1'), deflateSync(profile)]));

/** The header of the PNG above, changed for a picture of grey (PNG, section 11.2.1). */
const greyPng = Buffer.from(png);
greyPng[25] = 0;

const profileFor = (...chunks: readonly Uint8Array[]) => profileIn(png, ...chunks);

/**
 * Inserts chunks into a PNG, and returns two parts of its profile: the columns of the primaries, and the numbers of the
 * curve. Returns null if the PNG needs no profile.
 */
function profileIn(picture: Uint8Array, ...chunks: readonly Uint8Array[]) {
  const chunk = colourChunkOf(insertIntoPng(picture, ...chunks));
  if (chunk === null) return null;
  const bytes = Buffer.from(chunk);
  const profile = inflateSync(bytes.subarray(bytes.indexOf(0, 8) + 2, -4));
  const tag = (name: string): Buffer => {
    const at = profile.indexOf(name, 132, 'latin1');
    const start = profile.readUInt32BE(at + 4);
    return profile.subarray(start, start + profile.readUInt32BE(at + 8));
  };
  const fixed = (content: Buffer, from: number): number[] =>
    Array.from({ length: (content.length - from) / 4 }, (_, index) => content.readInt32BE(from + 4 * index) / 0x10000);
  return {
    primaries: ['rXYZ', 'gXYZ', 'bXYZ'].map((name) => fixed(tag(name), 8).map((value) => Number(value.toFixed(3)))),
    curve: tag('rTRC').toString('latin1', 0, 4) === 'para' ? fixed(tag('rTRC'), 12) : tag('rTRC').toString('latin1'),
  };
}

/** The columns of the primaries in the profiles that Apple and the ICC publish. */
const DISPLAY_P3 = [
  [0.515, 0.241, -0.001],
  [0.292, 0.692, 0.042],
  [0.157, 0.067, 0.784],
];
const SRGB = [
  [0.436, 0.222, 0.014],
  [0.385, 0.717, 0.097],
  [0.143, 0.061, 0.714],
];

describe('the colour profile derived for a PNG', () => {
  test('has the primaries and the curve of cICP', () => {
    expect(profileFor(coded(12, 13))).toMatchObject({ primaries: DISPLAY_P3 });
    expect(profileFor(coded(12, 8))?.curve).toEqual([1]);
  });

  test('has the curve of gAMA with the primaries of cHRM or sRGB', () => {
    expect(profileFor(gamma(100_000))).toEqual({ primaries: SRGB, curve: [1] });
    const wide = chromaticities(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000);
    expect(profileFor(gamma(100_000), wide)).toEqual({ primaries: DISPLAY_P3, curve: [1] });
  });

  test('uses the curve of a grey profile for a grey image, and is not made from it for a colour image', () => {
    const curve = Buffer.from('curv\0\0\0\0\0\0\0\x01\x01\0\0\0', 'latin1');
    const grey = Buffer.alloc(144);
    grey.write('GRAY', 16, 'latin1');
    grey.writeUInt32BE(1, 128);
    grey.write('kTRC', 132, 'latin1');
    grey.writeUInt32BE(144, 136);
    grey.writeUInt32BE(16, 140);
    const chunk = profileChunk(Buffer.concat([grey, curve]));
    expect(profileIn(greyPng, chunk)).toEqual({ primaries: SRGB, curve: curve.toString('latin1') });
    expect(profileFor(chunk)).toBeNull();
  });

  test.each([
    ['nothing', []],
    ['the gamma of sRGB', [gamma(45_455)]],
    ['the primaries of sRGB', [chromaticities(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000)]],
    ['sRGB by cICP', [coded(1, 13)]],
    ['PQ, which no profile can express', [coded(9, 16)]],
    ['sRGB and another gamma, which is ignored', [pngChunk('sRGB', Buffer.from([0])), gamma(100_000)]],
    ['a profile and another gamma, which is ignored', [profileChunk(Buffer.alloc(200)), gamma(100_000)]],
    ['a gamma of 0', [gamma(0)]],
    ['primaries on one point', [chromaticities(31_270, 32_900, 1, 1, 1, 1, 1, 1)]],
    ['primaries of 0', [chromaticities(0, 0, 0, 0, 0, 0, 0, 0)]],
    ['chunks that are too short', [pngChunk('gAMA', Buffer.alloc(2)), pngChunk('cICP', Buffer.alloc(1))]],
  ] as const)('is not made for %s', (_, chunks) => {
    expect(profileFor(...chunks)).toBeNull();
  });
});

/** Whether the preview of a PNG contains a colour profile. */
async function previewHasProfile(file: Uint8Array): Promise<boolean> {
  const sizes = [{ width: 120, height: 60 }];
  const [, preview] = (await makeFiles(file, { type: 'image/png', ...QUADRANTS, sizes })) ?? [];
  return Buffer.from(preview ?? []).includes('ICCP');
}

test('a preview of a PNG in linear light contains a colour profile', async () => {
  expect(await previewHasProfile(png)).toBe(false);
  expect(await previewHasProfile(insertIntoPng(png, gamma(100_000)))).toBe(true);
});

test.each([
  ['iCCP', colourChunkOf(insertIntoPng(png, coded(12, 13)))],
  ['cICP', coded(12, 13)],
  ['gAMA', gamma(100_000)],
])('a preview ignores a chunk with a wrong CRC, as decoders do: %s', async (_, chunk) => {
  const broken = Buffer.from(chunk ?? []);
  expect(await previewHasProfile(insertIntoPng(png, broken))).toBe(true);
  broken.writeInt32BE(~broken.readInt32BE(broken.length - 4), broken.length - 4);
  expect(await previewHasProfile(insertIntoPng(png, broken))).toBe(false);
});
