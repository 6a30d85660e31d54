import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../../corpus/seeds');

/** Names of the committed media files, small ones of every type, which cases change. */
export const SEED_NAMES: readonly string[] = readdirSync(FOLDER).sort();

const kept = new Map<string, Uint8Array>();

/**
 * Returns the bytes of a seed.
 *
 * @throws Error if there is none with that name
 */
export function seedBytes(name: string): Uint8Array {
  const bytes = kept.get(name) ?? readFileSync(join(FOLDER, name));
  kept.set(name, bytes);
  return bytes;
}

/**
 * Bytes in the form in which a case is stored: short, the same on every machine, and readable in a diff. A text is one
 * byte a character (Latin-1), a slice is a part of a committed file, a list is the concatenation of its entries.
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

/** Maximum bytes of one case; longer ones are cut off. */
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Makes the bytes; `fill` replaces placeholders in texts first.
 *
 * @throws Error for an unknown seed
 */
export function makeBytes(bytes: Bytes, fill: (text: string) => string = (text) => text): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  collect(bytes, pieces, 0, fill);
  return Buffer.concat(pieces);
}

/** Appends to `pieces`, and returns their total length. */
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

/** Encodes a text in UTF-8, one character per byte. */
export const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Encodes a whole number in `length` bytes, the highest first; it wraps around. */
export function bigEndian(value: number | bigint, length: number): string {
  const hex = BigInt.asUintN(8 * length, BigInt(value))
    .toString(16)
    .padStart(2 * length, '0');
  return Buffer.from(hex, 'hex').toString('latin1');
}

/** The same, with the lowest byte first. */
export const littleEndian = (value: number | bigint, length: number): string =>
  [...bigEndian(value, length)].reverse().join('');
