import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type MovieBeginning, readBeginning } from '../../src/formats/index.ts';

const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: async (from: number, length: number) => bytes.subarray(from, from + length),
});
const beginningOf = (...boxes: readonly Uint8Array[]) => readBeginning(sourceOf(Buffer.concat(boxes)));

function box(type: string, content: Uint8Array | string = new Uint8Array()): Buffer {
  const bytes = Buffer.concat([Buffer.from(`\0\0\0\0${type}`, 'latin1'), Buffer.from(content)]);
  bytes.writeUInt32BE(bytes.length);
  return bytes;
}

/** Returns a box whose length is stored in 64 bits. */
function longBox(type: string, content: Uint8Array): Buffer {
  const header = Buffer.from(`\0\0\0\x01${type}\0\0\0\0\0\0\0\0`, 'latin1');
  header.writeUInt32BE(16 + content.length, 12);
  return Buffer.concat([header, content]);
}

const brands = (major: string, ...compatible: readonly string[]) =>
  box('ftyp', `${major}\0\0\0\0${compatible.join('')}`);
const toTheEnd = (type: string) => Buffer.from(`\0\0\0\0${type}`, 'latin1');

const MP4: MovieBeginning = { type: 'video/mp4', is3gp: false };
const QUICKTIME: MovieBeginning = { type: 'video/quicktime', is3gp: false };
const ANDROID: MovieBeginning = { type: 'video/mp4', is3gp: true };
const FILLERS = ['free', 'skip', 'wide', 'uuid', 'udta', 'pnot'];

describe('the beginning of a movie file', () => {
  const MP4_BRANDS = 'isom iso2 iso5 iso6 mp41 mp42 avc1 dash MSNV M4V  M4VH M4VP cmfc hvc1 F4V  XAVC mmp4'.split(
    / (?! )/,
  );
  test.each(MP4_BRANDS.map((brand) => brand.padEnd(4)))('identifies MP4 by the brand %s', async (brand) => {
    expect(await beginningOf(brands(brand, brand, 'qt  '))).toEqual(MP4);
  });

  test.each(['qt  ', 'qt\0\0'])(
    'identifies QuickTime by the brand %j, whatever its compatible brands',
    async (brand) => {
      expect(await beginningOf(brands(brand, 'isom', 'mp42'))).toEqual(QUICKTIME);
    },
  );

  test.each(['3gp4', '3gp5', '3gp6', '3gp7', '3gr6', '3g2a'])(
    'identifies MP4 by the brand %s only with a compatible MP4 brand',
    async (major) => {
      for (const also of ['isom', 'mp41', 'mp42', 'iso2'])
        expect(await beginningOf(brands(major, major, also))).toEqual(ANDROID);
      expect(await beginningOf(brands(major, '3gp4', major))).toEqual({ other: '3gp' });
      expect(await beginningOf(brands(major))).toEqual({ other: '3gp' });
    },
  );

  test.each([
    ['M4A ', 'audio'],
    ['M4B ', 'audio'],
    ['heis', 'heic'],
    ['mif2', 'heif'],
    ['avif', 'avif'],
    ['crx ', 'cr3'],
  ] as const)('reports the brand %s as another type: %s', async (brand, other) => {
    expect(await beginningOf(brands(brand, 'isom', 'mp42'))).toEqual({ other });
  });

  test.each(FILLERS)('may have a %s box before its brands or its movie', async (type) => {
    const filler = box(type, Buffer.alloc(100));
    expect(await beginningOf(filler, brands('isom'))).toEqual(MP4);
    expect(await beginningOf(filler, filler, brands('qt  '))).toEqual(QUICKTIME);
    expect(await beginningOf(longBox(type, Buffer.alloc(5000)), brands('mp42'))).toEqual(MP4);
    for (const first of ['moov', 'mdat']) {
      expect(await beginningOf(filler, box(first))).toEqual(QUICKTIME);
      expect(await beginningOf(filler, toTheEnd(first))).toEqual(QUICKTIME);
    }
  });

  test('is undecided if a filler box reaches the end of the bytes', async () => {
    for (const type of FILLERS) {
      expect(await beginningOf(box(type, Buffer.alloc(100)))).toBe('open');
      expect(await beginningOf(box(type, Buffer.alloc(100)).subarray(0, 50))).toBe('open');
      expect(await beginningOf(toTheEnd(type), brands('isom'))).toBe('open');
    }
  });

  test('reports a segment without its header as another type', async () => {
    for (const type of ['styp', 'moof', 'sidx'])
      expect(await beginningOf(box(type, 'msdh'))).toEqual({ other: 'segment' });
  });

  test('is null if the first box, or the one after a filler, is unknown', async () => {
    expect(await beginningOf(box('abcd', Buffer.alloc(100)))).toBeNull();
    expect(await beginningOf(box('free'), Buffer.from('These are only words.'))).toBeNull();
    expect(await beginningOf(Buffer.from('\0\0\0\x07skip', 'latin1'), brands('isom'))).toBeNull();
    expect(await beginningOf(box('ftyp', '\0\0\0\0\0\0\0\0'))).toBeNull();
    expect(await beginningOf()).toBeNull();
  });

  test('is null after a thousand filler boxes', async () => {
    expect(await beginningOf(...Array.from({ length: 900 }, () => box('free')), brands('isom'))).toEqual(MP4);
    expect(await beginningOf(...Array.from({ length: 5000 }, () => box('free')), brands('isom'))).toBeNull();
  });

  test('throws no error for any bytes', async () => {
    const first = fc.constantFrom('ftyp', 'skip', 'free', 'mdat', 'moov');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), first, async (bytes, type) => {
        await beginningOf(bytes);
        await beginningOf(bytes.subarray(0, 4), Buffer.from(type), bytes.subarray(4));
      }),
    );
  });
});
