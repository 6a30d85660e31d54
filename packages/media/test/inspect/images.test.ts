import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { fixture, sourceOf } from '@postshelf/testing/fixtures';
import { fileTypeFromBuffer } from 'file-type';
import { createMediaInspector } from '../../src/index.ts';
import { counted, endless, READ_BUDGET } from '../support/sources.ts';

const inspector = createMediaInspector();
const inspect = (bytes: Uint8Array) => inspector.inspect(sourceOf(bytes));
const bytesOf = async (name: Parameters<typeof fixture>[0]) => Buffer.from(await (await fixture(name)).bytes());

describe('a JPEG', () => {
  const SOF = Buffer.from('ffc0001108', 'hex');

  test('of the maximum size is accepted', async () => {
    const bytes = await bytesOf('jpeg');
    for (const side of [0, 2]) bytes.writeUInt16BE(65_500, bytes.indexOf(SOF) + SOF.length + side);
    expect(await inspect(bytes)).toMatchObject({ width: 65_500, height: 65_500 });
  });

  test('of garbage with a frame header is rejected', async () => {
    const start = Buffer.from('ffd8ffe00004aaaa', 'hex');
    const garbage = Buffer.concat([start, Buffer.from('garbage'), Buffer.from('ffc0123408004000400f', 'hex')]);
    expect(await inspect(Buffer.concat([garbage, Buffer.alloc(10_000)]))).toBeNull();
  });

  test('of random bytes is rejected', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const bytes = Buffer.concat([Buffer.from('ffd8ffe00004aaaa', 'hex'), noise(seed)]);
      expect(await inspect(bytes)).toBeNull();
    }
  });
});

describe('a PNG', () => {
  test('above 65,535 pixels on a side is refused', async () => {
    expect(await inspect(await pngOf(65_535, 1))).toMatchObject({ width: 65_535, height: 1 });
    expect(await inspect(await pngOf(65_536, 1))).toBeNull();
    expect(await inspect(await pngOf(1, 2 ** 31 - 1))).toBeNull();
  });

  test('with a chunk longer than the file is damaged', async () => {
    const bytes = await bytesOf('png-turned');
    bytes.writeUInt32BE(0x7fffffff, bytes.indexOf('eXIf') - 4);
    expect(await inspect(bytes)).toBe('damaged');
  });
});

describe('an endless image', () => {
  const webpStart = Buffer.from('RIFF\xff\xff\xff\x7fWEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x0f\0\0', 'latin1');
  const jpegStart = Buffer.from('ffd8ffe00002', 'hex');
  const cases: [string, Buffer, Buffer, number?][] = [
    ['JPEG of zeros', jpegStart, Buffer.alloc(1)],
    ['JPEG of padding', jpegStart, Buffer.from('ff', 'hex')],
    ['JPEG of empty segments', jpegStart, Buffer.from('ffe00002', 'hex')],
    [
      'JPEG of the longest segments',
      jpegStart,
      Buffer.concat([Buffer.from('ffe2ffff', 'hex'), Buffer.alloc(65_533)]),
      258 * 1024 * 1024,
    ],
    ['JPEG of restart markers', jpegStart, Buffer.from('ffd0', 'hex')],
    ['WebP of empty chunks', webpStart, Buffer.from('ABCD\0\0\0\0')],
    ['WebP of zeros', webpStart, Buffer.alloc(1)],
  ];

  test.each(cases)('is unreadable and not read completely: %s', async (_, start, pattern, budget = READ_BUDGET) => {
    const { source, bytes } = counted(endless(start, pattern));
    expect(await inspector.inspect(source)).toBeNull();
    expect(bytes()).toBeLessThan(budget);
  });

  test('is unreadable and not read completely: PNG of empty chunks', async () => {
    const start = (await bytesOf('png')).subarray(0, 33);
    const { source, bytes } = counted(endless(start, Buffer.from('\0\0\0\0tEXt\0\0\0\0')));
    expect(await inspector.inspect(source)).toBeNull();
    expect(bytes()).toBeLessThan(READ_BUDGET);
  });

  test('is accepted if it is a WebP with a huge chunk, which is skipped without reading', async () => {
    const image = Buffer.from('VP8 \0\0\0\x7f', 'latin1');
    const exif = (await bytesOf('webp-turned')).subarray(-34);
    const size = webpStart.length + 8 + 0x7f000000 + exif.length;
    const head = Buffer.concat([webpStart, image]);
    head.writeUInt32LE(size - 8, 4);
    const start = endless(head, Buffer.alloc(1), size);
    const read = async (offset: number, length: number) => {
      const bytes = await start.read(offset, length);
      const from = size - exif.length;
      if (offset + bytes.length > from)
        bytes.set(exif.subarray(Math.max(0, offset - from)), Math.max(0, from - offset));
      return bytes;
    };
    const { source, bytes } = counted({ size, read });
    expect(await inspector.inspect(source)).toMatchObject({ type: 'image/webp', width: 16, height: 16, time: null });
    expect(bytes()).toBeLessThan(1_000_000);
  });
});

/** Returns bytes that look random, but are the same for each seed. */
const noise = (seed: number): Uint8Array => createHash('shake256', { outputLength: 20_000 }).update(`${seed}`).digest();

async function pngOf(width: number, height: number): Promise<Buffer> {
  const bytes = await bytesOf('png');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

test('a JPEG is recognised exactly as file-type does, whatever follows its first three bytes', async () => {
  const { recognise } = createMediaInspector();
  for (let code = 0; code <= 0xff; code += 1) {
    const head = Buffer.from([0xff, 0xd8, 0xff, code, ...Buffer.alloc(60)]);
    const isJpeg = (await fileTypeFromBuffer(head))?.mime === 'image/jpeg';
    expect([code, (await recognise(head)) === 'image/jpeg']).toEqual([code, isJpeg]);
  }
});
