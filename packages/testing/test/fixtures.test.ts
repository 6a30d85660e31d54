import { describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FixtureName, fixture } from '../src/fixtures/fixture.ts';
import { MEDIA_RECIPES, OTHER_RECIPES } from '../src/fixtures/recipes.ts';

const bytesOf = async (name: FixtureName) => Buffer.from(await (await fixture(name)).bytes());

test('every fixture is shipped', async () => {
  const recipes = Object.entries({ ...MEDIA_RECIPES, ...OTHER_RECIPES });
  const shipped = (await readdir(join(import.meta.dir, '../src/fixtures/files'), { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  expect(shipped.sort()).toEqual(recipes.map(([name, { extension }]) => `${name}.${extension}`).sort());
});

describe('the fixtures differ as their names suggest', () => {
  test('in the kind and position of the frame header of a JPEG', async () => {
    const frame = (bytes: Buffer, marker: number) => bytes.indexOf(Buffer.from([0xff, marker, 0x00, 0x11, 0x08]));
    expect(frame(await bytesOf('jpeg'), 0xc0)).toBeGreaterThan(0);
    expect(frame(await bytesOf('jpeg-progressive'), 0xc2)).toBeGreaterThan(0);
    expect(frame(await bytesOf('jpeg-late-frame'), 0xc0)).toBeGreaterThan(128 * 1024);
  });

  test('in the first chunk of a WebP', async () => {
    const chunk = async (name: FixtureName) => (await bytesOf(name)).toString('latin1', 12, 16);
    expect(await chunk('webp')).toBe('VP8 ');
    expect(await chunk('webp-lossless')).toBe('VP8L');
    expect(await chunk('webp-extended')).toBe('VP8X');
    expect(await chunk('webp-turned')).toBe('VP8X');
  });

  test('in the brand, the fragments and the position of the movie header of an MP4', async () => {
    const place = async (name: FixtureName, type: string) => (await bytesOf(name)).indexOf(type);
    expect(await place('mp4', 'moov')).toBeLessThan(await place('mp4', 'mdat'));
    expect(await place('mp4-headers-last', 'moov')).toBeGreaterThan(await place('mp4-headers-last', 'mdat'));
    expect(await place('mp4-fragmented', 'moof')).toBeGreaterThan(0);
    expect((await bytesOf('m4v')).toString('latin1', 4, 12)).toBe('ftypM4V ');
    expect((await bytesOf('mov')).toString('latin1', 4, 12)).toBe('ftypqt  ');
  });

  test('in the animation of a PNG and a GIF', async () => {
    expect((await bytesOf('png')).includes('acTL')).toBe(false);
    expect((await bytesOf('apng')).includes('acTL')).toBe(true);
    expect((await bytesOf('gif-animated')).includes('NETSCAPE2.0')).toBe(true);
  });
});
