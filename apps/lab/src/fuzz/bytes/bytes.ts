import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../../corpus/seeds');

/** The names of the committed media files that fuzz cases change: small files of every type. */
export const SEED_NAMES: readonly string[] = readdirSync(FOLDER).sort();

const kept = new Map<string, Uint8Array>();

/**
 * Returns the bytes of a seed.
 *
 * @throws Error if no seed has that name
 */
export function seedBytes(name: string): Uint8Array {
  const bytes = kept.get(name) ?? readFileSync(join(FOLDER, name));
  kept.set(name, bytes);
  return bytes;
}

/**
 * The bytes of a case in a form that can be committed: short, the same on every machine, and readable in a diff. A
 * string has one character per byte (Latin-1), a slice is a range of a committed file, and a list is the concatenation
 * of its entries.
 */
export type Bytes = string | Slice | Repeat | readonly Bytes[];

export interface Slice {
  readonly seed: string;
  readonly from: number;
  readonly to: number;
}

interface Repeat {
  readonly repeat: Bytes;
  readonly times: number;
}

/** Maximum number of bytes that a case may have. Longer cases are truncated. */
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Makes the bytes. `fill` replaces the placeholders in strings.
 *
 * @throws Error for an unknown seed
 */
export function makeBytes(bytes: Bytes, fill: (text: string) => string = (text) => text): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  collect(bytes, pieces, 0, fill);
  return Buffer.concat(pieces);
}

/** Appends the bytes to `pieces`, and returns the total length of the pieces. */
function collect(bytes: Bytes, pieces: Uint8Array[], length: number, fill: (text: string) => string): number {
  if (length >= MAX_LENGTH) return length;
  if (typeof bytes === 'string') return append(Buffer.from(fill(bytes), 'latin1'), pieces, length);
  if ('seed' in bytes) return append(seedBytes(bytes.seed).subarray(bytes.from, bytes.to), pieces, length);
  if ('repeat' in bytes) {
    const once = makeBytes(bytes.repeat, fill);
    if (once.length === 0) return length;
    const times = Math.min(bytes.times, Math.ceil((MAX_LENGTH - length) / once.length));
    return append(Buffer.concat(Array.from({ length: times }, () => once)), pieces, length);
  }
  return bytes.reduce((sum: number, part) => collect(part, pieces, sum, fill), length);
}

function append(piece: Uint8Array, pieces: Uint8Array[], length: number): number {
  pieces.push(piece);
  return length + piece.length;
}

/** Encodes a text in UTF-8, and returns the bytes as a string with one character per byte. */
export const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Encodes an integer as big-endian, in `length` bytes. A number that is too large wraps around. */
export function bigEndian(value: number | bigint, length: number): string {
  const hex = BigInt.asUintN(8 * length, BigInt(value))
    .toString(16)
    .padStart(2 * length, '0');
  return Buffer.from(hex, 'hex').toString('latin1');
}

/** Encodes an integer as little-endian, in `length` bytes. */
export const littleEndian = (value: number | bigint, length: number): string =>
  [...bigEndian(value, length)].reverse().join('');
