import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ForwardReader,
  type GifBlock,
  gifBlocks,
  jpegParts,
  orientationOf,
  pngChunks,
  type Walk,
  webpChunks,
} from '../../src/formats/index.ts';

/** Returns all parts of a walk up to the end of the file, each with the offset at which it was yielded. */
async function partsOf<Part>(bytes: Uint8Array, walkOf: (reader: ForwardReader) => Walk<Part>, fetch = 16) {
  // A walk starts at byte 1, because a fetch at the very beginning of a file is never as small as `fetch`.
  const file = Buffer.concat([Buffer.alloc(1), bytes]);
  const source = { size: file.length, read: async (from: number, n: number) => file.subarray(from, from + n) };
  const reader = new ForwardReader(source, { fetch });
  reader.skip(1);
  const parts: { part: Part; at: number }[] = [];
  for (const step of walkOf(reader)) {
    if (typeof step !== 'number') parts.push({ part: step, at: reader.position });
    else if (!(await reader.reaches(step))) break;
  }
  return parts;
}

const walks: Readonly<Record<string, (reader: ForwardReader) => Walk<unknown>>> = {
  JPEG: jpegParts,
  PNG: pngChunks,
  GIF: gifBlocks,
  WebP: (reader) => webpChunks(reader, reader.size),
};

const bytes = fc.uint8Array({ maxLength: 300 });
const type = fc.stringMatching(/^[A-Za-z]{4}$/);
const chunks = fc.array(fc.tuple(type, bytes), { maxLength: 8 });

describe.each(Object.entries(walks))('a walk over bytes that claim to be %s', (_, walk) => {
  test('ends, only moves forward, and finds the same parts for any fetch size', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 40 }), async (file, fetch) => {
        const found = await partsOf(file, walk, fetch);
        const places = found.map(({ at }) => at);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        // Bytes between segments may arrive in several parts.
        const isPart = ({ part }: { readonly part: unknown }) => (part as { code?: number | null }).code !== null;
        expect(found.filter(isPart)).toEqual((await partsOf(file, walk, 1000)).filter(isPart));
      }),
    );
  });
});

test('a walk over a PNG finds the chunks that were written', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, async (written) => {
      const file = Buffer.concat(
        written.map(([name, data]) => {
          const header = Buffer.alloc(8);
          header.writeUInt32BE(data.length);
          header.write(name, 4, 'latin1');
          return Buffer.concat([header, data, Buffer.alloc(4)]);
        }),
      );
      const found = await partsOf(file, pngChunks);
      expect(found.map(({ part }) => [part.type, part.length])).toEqual(written.map(([name, d]) => [name, d.length]));
    }),
  );
});

test('a walk over a WebP finds the chunks that were written, whether or not odd ones are padded', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.boolean(), async (written, isPadded) => {
      const file = Buffer.concat([
        ...written.map(([name, content]) => {
          const header = Buffer.alloc(8);
          header.write(name, 'latin1');
          header.writeUInt32LE(content.length, 4);
          return Buffer.concat([header, content, Buffer.alloc(isPadded ? content.length % 2 : 0)]);
        }),
        Buffer.alloc(8),
      ]);
      const found = await partsOf(file, (reader) => webpChunks(reader, reader.size));
      expect(found.map(({ part }) => [part.type, part.length])).toEqual(written.map(([name, c]) => [name, c.length]));
    }),
  );
});

test('a walk over a JPEG finds all segments that were written, and the bytes between them without a code', async () => {
  const segments = fc.array(fc.tuple(fc.integer({ min: 0xe1, max: 0xef }), bytes), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(segments, fc.nat({ max: 50 }), async (written, garbage) => {
      const file = Buffer.concat([
        Buffer.from([0xff, 0xd8]),
        ...written.map(([code, content]) => {
          const length = content.length + 2;
          return Buffer.concat([Buffer.from([0xff, code, length >> 8, length & 255]), content, Buffer.alloc(garbage)]);
        }),
        Buffer.from([0xff, 0xd9]),
      ]);
      const found = (await partsOf(file, jpegParts)).map(({ part }) => part);
      const coded = found.filter(({ code }) => code !== null).map(({ code, length }) => [code, length]);
      expect(coded).toEqual([[0xd8, 0], ...written.map(([code, { length }]) => [code, length]), [0xd9, 0]]);
      const between = found.filter(({ code }) => code === null).reduce((sum, { length }) => sum + length, 0);
      expect(between).toBe(written.length * garbage);
    }),
  );
});

test('a walk over a GIF finds the blocks that were written, and skips their sub-blocks and extra zeros', async () => {
  const contents = fc.array(fc.uint8Array({ minLength: 1, maxLength: 255 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(contents, { minLength: 1, maxLength: 5 }), async (written) => {
      const file = Buffer.concat([
        ...written.map((blocks) => {
          const data = Buffer.concat(blocks.flatMap((block) => [Buffer.from([block.length]), block]));
          return Buffer.concat([Buffer.from([0x21, 0xff]), data, Buffer.alloc(3)]);
        }),
        Buffer.from([0x3b]),
      ]);
      const found = (await partsOf(file, gifBlocks)).map(({ part }): GifBlock => part);
      expect(found.map(({ kind }) => kind)).toEqual([...written.map(() => 'extension' as const), 'trailer']);
      const first = found.map((block) => (block.kind === 'extension' ? block.first : null));
      expect(first).toEqual([...written.map(([block]) => block?.[0] ?? 0), null]);
    }),
  );
});

describe('the EXIF orientation', () => {
  const block = (isLittleEndian: boolean, value: number) => {
    const view = new DataView(new ArrayBuffer(26));
    view.setUint16(0, isLittleEndian ? 0x4949 : 0x4d4d);
    view.setUint16(2, 42, isLittleEndian);
    view.setUint32(4, 8, isLittleEndian);
    view.setUint16(8, 1, isLittleEndian);
    view.setUint16(10, 0x0112, isLittleEndian);
    view.setUint16(12, 3, isLittleEndian);
    view.setUint32(14, 1, isLittleEndian);
    view.setUint16(18, value, isLittleEndian);
    return new Uint8Array(view.buffer);
  };

  test.each([
    ['little-endian', true],
    ['big-endian', false],
  ] as const)('is read in %s order, and is 1 if invalid', (_, isLittleEndian) => {
    for (let value = 1; value <= 8; value++) expect(orientationOf(block(isLittleEndian, value))).toBe(value);
    for (const value of [0, 9, 65_535]) expect(orientationOf(block(isLittleEndian, value))).toBe(1);
  });

  test('is between 1 and 8 for any bytes', () => {
    fc.assert(fc.property(bytes, (exif) => expect([1, 2, 3, 4, 5, 6, 7, 8]).toContain(orientationOf(exif))));
  });
});
