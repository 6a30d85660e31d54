import { describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FixtureName, fixture } from '../src/fixtures/fixture.ts';

const bytesOf = async (name: FixtureName) => Buffer.from(await (await fixture(name)).bytes());

describe('a fixture', () => {
  test('is made once for concurrent callers', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'postshelf-test-'));
    try {
      const fixtures = new URL('../src/fixtures/index.ts', import.meta.url).pathname;
      const code = `const { fixture } = await import(${JSON.stringify(fixtures)});
        const files = await Promise.all([1, 2, 3].map(() => fixture('png')));
        console.log((await Promise.all(files.map((file) => file.bytes()))).map(({ length }) => length).join());`;
      const ask = async () => {
        const env = { PATH: process.env.PATH ?? '', TMPDIR: directory };
        const child = Bun.spawn([process.execPath, '-e', code], { env, stdout: 'pipe', stderr: 'inherit' });
        return (await new Response(child.stdout).text()).trim();
      };
      const { length } = await bytesOf('png');
      const lengths = `${length},${length},${length}`;
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([lengths, lengths, lengths]);
      const [cache = ''] = await readdir(directory);
      expect(await readdir(join(directory, cache))).toHaveLength(1);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('the forms differ as their names say', () => {
  test('JPEG: the kind and the place of the frame header', async () => {
    const frame = (bytes: Buffer, marker: number) => bytes.indexOf(Buffer.from([0xff, marker, 0x00, 0x11, 0x08]));
    expect(frame(await bytesOf('jpeg'), 0xc0)).toBeGreaterThan(0);
    expect(frame(await bytesOf('jpeg-progressive'), 0xc2)).toBeGreaterThan(0);
    expect(frame(await bytesOf('jpeg-late-frame'), 0xc0)).toBeGreaterThan(128 * 1024);
  });

  test('WebP: the first chunk', async () => {
    const chunk = async (name: FixtureName) => (await bytesOf(name)).toString('latin1', 12, 16);
    expect(await chunk('webp')).toBe('VP8 ');
    expect(await chunk('webp-lossless')).toBe('VP8L');
    expect(await chunk('webp-extended')).toBe('VP8X');
    expect(await chunk('webp-turned')).toBe('VP8X');
  });

  test('MP4: brand, fragments and the place of the movie header', async () => {
    const place = async (name: FixtureName, type: string) => (await bytesOf(name)).indexOf(type);
    expect(await place('mp4', 'moov')).toBeLessThan(await place('mp4', 'mdat'));
    expect(await place('mp4-headers-last', 'moov')).toBeGreaterThan(await place('mp4-headers-last', 'mdat'));
    expect(await place('mp4-fragmented', 'moof')).toBeGreaterThan(0);
    expect((await bytesOf('m4v')).toString('latin1', 4, 12)).toBe('ftypM4V ');
    expect((await bytesOf('mov')).toString('latin1', 4, 12)).toBe('ftypqt  ');
  });

  test('PNG and GIF: one picture or several', async () => {
    expect((await bytesOf('png')).includes('acTL')).toBe(false);
    expect((await bytesOf('apng')).includes('acTL')).toBe(true);
    expect((await bytesOf('gif-animated')).includes('NETSCAPE2.0')).toBe(true);
  });
});
