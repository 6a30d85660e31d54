import { extname } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { weighted } from '../arbitraries/text.ts';
import { type Bytes, bigEndian, littleEndian, SEED_NAMES, type Slice, seedBytes } from '../bytes/bytes.ts';
import { gifLayout, jpegLayout, pngLayout, webpLayout } from './images.ts';
import type { Field, Layout, Unit } from './layout.ts';
import { movieLayout } from './movie.ts';

/** A change of a seed at an offset of the unchanged file: it removes some bytes, and inserts others. */
interface Edit {
  readonly at: number;
  readonly drop: number;
  readonly put: Bytes;
}

/**
 * Generates extreme values for a length or a count: small ones, ones near the maximum, and ones next to a change of
 * sign or of byte length.
 */
const extremes = (bits: number): fc.Arbitrary<bigint> => {
  const max = 1n << BigInt(bits);
  const edges = [0n, 1n, 2n, 7n, 8n, 9n, 16n, max - 1n, max - 2n, max / 2n, max / 2n - 1n, max / 4n, max / 256n];
  return fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: max - 1n }));
};

const encode = ({ length, endian }: Field, value: bigint): string =>
  endian === 'big' ? bigEndian(value, length) : littleEndian(value, length);

/** Generates offsets and sizes that are near the end of the file. */
const aroundTheEnd = (seed: string): fc.Arbitrary<bigint> =>
  fc.integer({ min: -64, max: 64 }).map((distance) => BigInt(Math.max(0, seedBytes(seed).length + distance)));

const fieldEdit = (seed: string): fc.Arbitrary<Edit> =>
  fc.constantFrom(...layoutOf(seed).fields).chain((field) =>
    weighted([4, extremes(8 * field.length)], [1, aroundTheEnd(seed)]).map((value) => ({
      at: field.at,
      drop: field.length,
      put: encode(field, value),
    })),
  );

const byteEdit = (seed: string): fc.Arbitrary<Edit> => {
  const { length } = seedBytes(seed);
  const at = weighted([3, fc.nat(Math.min(length, 600) - 1)], [1, fc.nat(length - 1)]);
  const put = fc.oneof(fc.constantFrom('', '\0', '\xff', '\x7f', '\x80', '\0\0\0\0', '\xff\xff\xff\xff'), noise(8));
  return fc.record({ at, drop: fc.nat(8), put });
};

const noise = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));

const cut = (seed: string): fc.Arbitrary<Edit> => {
  const { length } = seedBytes(seed);
  const ends = fc.oneof(fc.constantFrom(...layoutOf(seed).units.flatMap(({ from, to }) => [from, to])), fc.nat(length));
  return ends.map((at) => ({ at, drop: length, put: '' }));
};

/**
 * Generates edits that remove a unit, repeat it up to 5,000 times, replace it with a unit of any seed, or insert a unit
 * of any seed before it. About half of them also correct the lengths of the boxes around the unit.
 */
const unitEdits = (seed: string): fc.Arbitrary<readonly Edit[]> =>
  fc
    .record({
      unit: fc.constantFrom(...layoutOf(seed).units),
      times: fc.constantFrom(0, 1, 2, 3, 20, 300, 5000),
      from: fc.constantFrom(...SEED_NAMES).chain((name) => fc.constantFrom(...slicesOf(name))),
      how: fc.constantFrom('repeat', 'splice', 'replace'),
      honest: fc.boolean(),
    })
    .map(({ unit, times, from, how, honest }) => {
      const own: Slice = { seed, from: unit.from, to: unit.to };
      const length = unit.to - unit.from;
      if (how === 'repeat') {
        const edit = { at: unit.from, drop: length, put: times === 1 ? [own, own] : { repeat: own, times } };
        return withLengths(seed, unit, edit, honest ? length * ((times === 1 ? 2 : times) - 1) : 0);
      }
      const added = from.to - from.from;
      if (how === 'splice') {
        const edit = { at: unit.from, drop: 0, put: from };
        return withLengths(seed, unit, edit, honest ? added : 0);
      }
      return withLengths(seed, unit, { at: unit.from, drop: length, put: from }, honest ? added - length : 0);
    });

function withLengths(seed: string, unit: Unit, edit: Edit, growth: number): readonly Edit[] {
  if (growth === 0) return [edit];
  const lengths = unit.lengthFields.map((field) => {
    const bytes = [...seedBytes(seed).subarray(field.at, field.at + field.length)];
    const ordered = field.endian === 'big' ? bytes : bytes.reverse();
    const before = ordered.reduce((sum, byte) => sum * 256 + byte, 0);
    return { at: field.at, drop: field.length, put: encode(field, BigInt(before + growth)) };
  });
  return [...lengths, edit];
}

const slicesOf = (seed: string): readonly Slice[] => layoutOf(seed).units.map(({ from, to }) => ({ seed, from, to }));

/** Generates a PNG header of any dimensions, with a valid CRC. */
const pngHeader = (): fc.Arbitrary<Edit> =>
  fc.tuple(extremes(32), extremes(32), noise(5)).map(([width, height, rest]) => {
    const content = `IHDR${bigEndian(width, 4)}${bigEndian(height, 4)}${rest.padEnd(5, '\x08')}`;
    const crc = crc32(Buffer.from(content, 'latin1'));
    return { at: 12, drop: 21, put: content + bigEndian(crc, 4) };
  });

/** Generates a seed with one or two changes, sometimes more. */
function mutationOf(seed: string): fc.Arbitrary<Bytes> {
  const one = (edit: fc.Arbitrary<Edit>): fc.Arbitrary<readonly Edit[]> => edit.map((only) => [only]);
  const edits = weighted(
    [8, one(fieldEdit(seed))],
    [3, one(byteEdit(seed))],
    [3, unitEdits(seed)],
    [1, one(cut(seed))],
    ...(seed.endsWith('.png') ? [[4, one(pngHeader())] as const] : []),
  );
  const few = fc.array(edits, { minLength: 1, maxLength: 2 });
  const many = fc.array(edits, { minLength: 3, maxLength: 8 });
  return weighted([4, few], [1, many]).map((lists) => rope(seed, lists.flat()));
}

/** Applies the edits in the order of their offsets. Skips an edit whose offset lies within already removed bytes. */
function rope(seed: string, edits: readonly Edit[]): Bytes {
  const end = seedBytes(seed).length;
  const pieces: Bytes[] = [];
  let offset = 0;
  for (const { at, drop, put } of edits.toSorted((a, b) => a.at - b.at)) {
    if (at < offset) continue;
    if (at > offset) pieces.push({ seed, from: offset, to: at });
    if (put !== '') pieces.push(put);
    offset = Math.min(end, at + drop);
  }
  if (offset < end) pieces.push({ seed, from: offset, to: end });
  return pieces;
}

/** A media file of any type, broken somewhere. */
export const brokenMedia: fc.Arbitrary<Bytes> = weighted(
  [20, fc.constantFrom(...SEED_NAMES).chain(mutationOf)],
  [1, polyglot()],
);

const isImage = (name: string): boolean => /\.(jpg|png|gif|webp)$/.test(name);

/** Returns the number of bytes at a seed's end that contain no pixels, such as a JPEG's end marker. */
const withoutPixels = (name: string): number => (name.endsWith('.jpg') ? 2 : name.endsWith('.gif') ? 7 : 0);

/** A truncated image, which must be refused. */
export const cutImage: fc.Arbitrary<Bytes> = fc
  .constantFrom(...SEED_NAMES.filter(isImage))
  .chain((seed) => fc.nat(seedBytes(seed).length - 1 - withoutPixels(seed)).map((to) => ({ seed, from: 0, to })));

/** An image followed by any bytes, which must be accepted. */
export const trailedImage: fc.Arbitrary<Bytes> = fc
  .tuple(
    fc.constantFrom(...SEED_NAMES.filter(isImage)),
    fc.oneof(noise(40), cutImage, fc.record({ repeat: noise(4), times: fc.nat(200_000) })),
  )
  .map(([seed, tail]) => [{ seed, from: 0, to: seedBytes(seed).length }, tail]);

/** Joins the beginning of one file and the end of another. */
function polyglot(): fc.Arbitrary<Bytes> {
  const slice = fc.constantFrom(...SEED_NAMES).chain((name) => fc.constantFrom(...slicesOf(name)));
  return fc
    .tuple(fc.constantFrom(...SEED_NAMES), fc.nat(64), fc.array(slice, { maxLength: 4 }))
    .map(([seed, to, slices]) => [{ seed, from: 0, to }, ...slices]);
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => Layout>> = {
  '.jpg': jpegLayout,
  '.png': pngLayout,
  '.gif': gifLayout,
  '.webp': webpLayout,
  '.mp4': movieLayout,
  '.m4a': movieLayout,
  '.mov': movieLayout,
  '.heic': movieLayout,
  '.avif': movieLayout,
};

const kept = new Map<string, Layout>();

/**
 * Returns the layout of a seed.
 *
 * @throws Error for an unknown type
 */
export function layoutOf(seed: string): Layout {
  const reader = READERS[extname(seed)];
  if (reader === undefined) throw new Error(`No layout is known for ${seed}.`);
  const layout = kept.get(seed) ?? reader(seedBytes(seed));
  kept.set(seed, layout);
  return layout;
}
