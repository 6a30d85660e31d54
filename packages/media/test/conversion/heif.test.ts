import { describe, expect, test } from 'bun:test';
import { Damaged, type HeifImage, readHeif, Unreadable } from '@postshelf/domain/formats';
import { HEIF_FIXTURE_NAMES, heifFixture, readHeif as itemsOf, writeHeif } from '@postshelf/testing/fixtures';
import fc from 'fast-check';

const files = await Promise.all(
  HEIF_FIXTURE_NAMES.map(async (name) => [name, (await heifFixture(name)).file] as const),
);
const fileOf = (name: string): Uint8Array => files.find(([own]) => own === name)?.[1] ?? expect.unreachable();

/** Returns what a file declares: null if it has no primary item, `refused` if it is damaged or unreadable. */
function read(file: Uint8Array): HeifImage | null | 'refused' {
  try {
    return readHeif(file);
  } catch (error) {
    if (error instanceof Damaged || error instanceof Unreadable) return 'refused';
    throw error;
  }
}

describe('a HEIF or AVIF file', () => {
  test('describes the coding, size and transforms of its primary image', () => {
    expect(readHeif(fileOf('photo.heic'))).toMatchObject({
      ...{ coding: 'hvc1', isDerived: true, width: 180, height: 120, profile: null },
      numbers: { primaries: 12, transfer: 13 },
      transforms: [{ kind: 'turn', turns: 3 }],
    });
    expect(readHeif(fileOf('photo.avif'))).toMatchObject({
      ...{ coding: 'av01', isDerived: false, width: 161, height: 97 },
      transforms: [
        { kind: 'turn', turns: 1 },
        { kind: 'mirror', axis: 'horizontal' },
      ],
    });
    expect(readHeif(fileOf('cropped.avif'))?.transforms).toMatchObject([
      { kind: 'crop', width: 100, height: 60, x: -10, y: -8 },
      { kind: 'turn', turns: 3 },
    ]);
    expect(readHeif(fileOf('grid.avif'))).toMatchObject({ isDerived: true, coding: 'av01', width: 256, height: 128 });
  });

  test('yields its EXIF data from the byte order mark on, and its XMP data', () => {
    const { exif, xmp } = readHeif(fileOf('photo.heic')) ?? expect.unreachable();
    expect(Buffer.from(exif ?? '').toString('latin1', 0, 4)).toBe('MM\0*');
    expect(Buffer.from(xmp ?? '').toString()).toContain('<rdf:RDF');
    expect(readHeif(fileOf('plain.heic'))).toMatchObject({ exif: null, xmp: null });
  });

  test('yields no image if it contains only a sequence or no primary image', () => {
    expect(readHeif(fileOf('sequence.heic'))).toBeNull();
    expect(readHeif(writeHeif({ ...itemsOf(fileOf('plain.heic')), primary: null }))).toBeNull();
    expect(readHeif(new Uint8Array())).toBeNull();
  });

  test('yields no image wherever it is truncated', () => {
    const file = fileOf('photo.heic');
    for (let length = 40; length < file.length; length += 7) {
      const found = read(file.subarray(0, length));
      expect(found === null || found === 'refused').toBe(true);
    }
  });
});

test('any bytes are either read as HEIF or rejected', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(1500), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      ([, file], changes) => {
        const bytes = new Uint8Array(file);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        read(bytes);
      },
    ),
    { numRuns: 2000 },
  );
});
