import { describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { fixture, sourceOf } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { pngChunk, uint16, withWebpChunk } from '../support/pictures.ts';
import { counted, endless } from '../support/sources.ts';

type FixtureName = Parameters<typeof fixture>[0];

const inspector = createMediaInspector();
const inspect = (bytes: Uint8Array) => inspector.inspect(sourceOf(bytes));
const bytesOf = async (name: FixtureName) => Buffer.from(await (await fixture(name)).bytes());
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const within = (bytes: Buffer, at: number, added: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]);

const IMAGES: Readonly<Record<string, readonly FixtureName[]>> = {
  JPEG: ['jpeg', 'jpeg-turned', 'jpeg-late-frame', 'jpeg-progressive'],
  PNG: ['png', 'png-turned', 'apng'],
  GIF: ['gif', 'gif-animated'],
  WebP: ['webp', 'webp-lossless', 'webp-extended', 'webp-turned'],
};

/** Yields different lengths below the given one, some of them near either end. */
function* lengthsBelow(length: number, count: number): Generator<number> {
  for (let cut = 1; cut <= Math.min(20, length); cut += 1) yield length - cut;
  // The golden ratio spreads the lengths evenly, and they are the same on every run.
  for (let cut = 0; cut < count; cut += 1) yield Math.floor(((cut * 0.6180339887498949) % 1) * length);
}

describe.each(Object.entries(IMAGES))('a %s image', (_, names) => {
  test('is refused when truncated at any of 1,000 positions', async () => {
    for (const name of names) {
      const bytes = await bytesOf(name);
      for (const length of lengthsBelow(bytes.length, Math.ceil(1000 / names.length))) {
        const verdict = await inspect(bytes.subarray(0, length));
        if (verdict !== 'damaged' && verdict !== null) throw new Error(`${name} of ${length} bytes is taken.`);
        if (length > 100) expect(verdict).toBe('damaged');
      }
    }
  });

  test('has the same details with any bytes after its end', async () => {
    for (const name of names) {
      const bytes = await bytesOf(name);
      const facts = await inspect(bytes);
      expect(facts).toHaveProperty('type');
      for (const tail of [
        Buffer.alloc(1),
        Buffer.alloc(100_000),
        Buffer.alloc(3, 0xff),
        bytes,
        bytes.subarray(0, 50),
      ]) {
        expect(await inspect(Buffer.concat([bytes, tail]))).toEqual(facts);
      }
    }
  });
});

describe('the details of an image', () => {
  const rows: [FixtureName, object][] = [
    ['jpeg', { frames: 1, hasAlpha: false }],
    ['png', { frames: 1, hasAlpha: false }],
    ['apng', { frames: 3, hasAlpha: false }],
    // Encoders differ in whether they declare a transparent colour.
    ['gif', { frames: 1, hasAlpha: expect.any(Boolean) }],
    ['gif-animated', { frames: 3, hasAlpha: expect.any(Boolean) }],
    ['webp', { frames: 1, hasAlpha: false }],
    ['webp-lossless', { frames: 1, hasAlpha: false }],
    ['webp-extended', { frames: 3, hasAlpha: false }],
  ];

  test.each(rows)('are read for the fixture %s', async (name, image) => {
    expect(await inspect(await bytesOf(name))).toMatchObject({ details: { image, video: null } });
  });

  test('report alpha if the header, a transparent colour or a flag declares it', async () => {
    const png = await bytesOf('png');
    const header = Buffer.from(png);
    header[25] = 6;
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
    const webp = await bytesOf('webp-extended');
    webp[20] = (webp[20] ?? 0) | 0x10;
    const lossless = await bytesOf('webp-lossless');
    lossless[24] = (lossless[24] ?? 0) | 0x10;
    const gif = await bytesOf('gif');
    const transparent = within(gif, 13 + 3 * (2 << ((gif[10] ?? 0) & 7)), hex('21f904 01 0000 00 00'));
    for (const bytes of [transparent, header, within(png, 33, pngChunk('tRNS', hex('000000000000'))), webp, lossless]) {
      expect(await inspect(bytes)).toMatchObject({ details: { image: { hasAlpha: true } } });
    }
  });
});

describe('an unusual but complete image', () => {
  const scanOf = (bytes: Buffer): number => bytes.indexOf(hex('ffda')) + 14;
  const rows: Readonly<Record<string, () => Promise<Buffer>>> = {
    'a JPEG with restart markers': async () => {
      const bytes = await bytesOf('jpeg');
      return within(bytes, scanOf(bytes) + 100, hex('ffd0 00 ffd1'));
    },
    'a JPEG with padding and garbage before its end': async () => {
      const bytes = await bytesOf('jpeg');
      return within(bytes, bytes.length - 2, hex('0000 ff00 ffffff'));
    },
    'a JPEG with its number of lines after the scan': async () => {
      const bytes = await bytesOf('jpeg');
      return within(bytes, bytes.length - 2, hex('ffdc 0004 0060'));
    },
    'a JPEG with a comment shorter than its length field': async () => {
      return within(await bytesOf('jpeg'), 2, hex('fffe 0000'));
    },
    'a JPEG with a truncated preview': async () => {
      const bytes = await bytesOf('jpeg');
      const preview = Buffer.concat([Buffer.from('Exif\0\0'), bytes.subarray(0, 800)]);
      return within(bytes, 2, Buffer.concat([hex('ffe1'), uint16(preview.length + 2), preview]));
    },
    'a PNG whose text has a wrong CRC': async () => {
      const chunk = pngChunk('tEXt', Buffer.from('Title\0words'));
      chunk[chunk.length - 1] = ~(chunk.at(-1) ?? 0) & 0xff;
      return within(await bytesOf('png'), 33, chunk);
    },
    'a GIF with zeros between its blocks': async () => {
      const bytes = await bytesOf('gif');
      return within(bytes, bytes.length - 1, Buffer.alloc(3));
    },
    'a WebP with a chunk of odd length, padded': async () => withWebpChunk(await bytesOf('webp'), 'ABCD', 3, 1),
    'a WebP with a chunk of odd length, not padded': async () => withWebpChunk(await bytesOf('webp'), 'ABCD', 3, 0),
  };

  test.each(Object.entries(rows))('is accepted: %s', async (_, bytes) => {
    expect(await inspect(await bytes())).toMatchObject({ width: 160, height: 96 });
  });
});

describe('a damaged image', () => {
  const rows: Readonly<Record<string, () => Promise<Uint8Array>>> = {
    'a JPEG with only the end marker of its preview': async () => {
      const bytes = await bytesOf('jpeg');
      const preview = Buffer.concat([Buffer.from('Exif\0\0'), bytes]);
      const whole = within(bytes, 2, Buffer.concat([hex('ffe1'), uint16(preview.length + 2), preview]));
      return whole.subarray(0, -2);
    },
    'a JPEG with the start of another image in its scan': async () => {
      const bytes = await bytesOf('jpeg');
      return Buffer.concat([bytes.subarray(0, -2), bytes]);
    },
    'a JPEG without a scan': async () => {
      const bytes = await bytesOf('jpeg');
      return Buffer.concat([bytes.subarray(0, bytes.indexOf(hex('ffda'))), hex('ffd9')]);
    },
    'a JPEG with its second half zeros': async () => {
      const bytes = await bytesOf('jpeg');
      return bytes.fill(0, bytes.length >> 1);
    },
    'a PNG whose end has a wrong CRC': async () =>
      Buffer.concat([(await bytesOf('png')).subarray(0, -4), hex('00000000')]),
    'a PNG with text where a chunk should begin': async () =>
      within(await bytesOf('png'), 33, Buffer.from('0123 4567')),
    'a GIF with other bytes instead of its first frame': async () => {
      const bytes = await bytesOf('gif');
      return within(bytes, bytes.indexOf(hex('2c00000000')), Buffer.from('GIF89a'));
    },
    'a WebP with a chunk that is longer than its RIFF': async () => {
      const bytes = await bytesOf('webp');
      bytes.writeUInt32LE(bytes.length - 8 - 100, 4);
      return bytes;
    },
    'a WebP with only its dimensions': async () => {
      const bytes = (await bytesOf('webp-extended')).subarray(0, 30);
      bytes.writeUInt32LE(22, 4);
      return bytes;
    },
  };

  test.each(Object.entries(rows))('is reported: %s', async (_, bytes) => {
    expect(await inspect(await bytes())).toBe('damaged');
  });

  test('is reported: a PNG with a wrong byte anywhere in a critical chunk', async () => {
    const bytes = await bytesOf('png');
    const from = bytes.indexOf('IDAT') - 4;
    for (let at = from; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x04;
      expect([at, await inspect(changed)]).toEqual([at, 'damaged']);
    }
  });
});

describe('inspecting an image of the maximum size', () => {
  test('yields to the event loop and reads no byte twice', async () => {
    const bytes = await bytesOf('jpeg');
    const start = bytes.subarray(0, bytes.indexOf(hex('ffda')) + 14);
    const source = endless(start, hex('00 ffe00002'), 16 * 1024 * 1024);
    let [turns, isOver] = [0, false];
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const watched = counted(source);
    expect(await inspector.inspect(watched.source)).toBe('damaged');
    isOver = true;
    expect(turns).toBeGreaterThan(2);
    expect(watched.bytes()).toBeLessThan(source.size + 1024);
  });
});
