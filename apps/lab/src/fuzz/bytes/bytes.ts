import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../../corpus/seeds');

/** The committed media files, small ones of every type, by their names. Cases are changes of these. */
export const SEED_NAMES: readonly string[] = readdirSync(FOLDER).sort();

const kept = new Map<string, Uint8Array>();

/** @throws Error when there is none of that name */
export function seedBytes(name: string): Uint8Array {
  const bytes = kept.get(name) ?? readFileSync(join(FOLDER, name));
  kept.set(name, bytes);
  return bytes;
}

/**
 * Bytes as a case keeps them: small however much they make, the same on every machine, and readable in a diff. Text
 * stands for one byte a character (Latin-1), a slice for a part of a committed file, a list for one after the other.
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

/** The most that one case makes; what would be longer ends there. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** The bytes themselves. `fill` is asked what each text becomes first. @throws Error for a seed that isn't there */
export function makeBytes(bytes: Bytes, fill: (text: string) => string = (text) => text): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  collect(bytes, pieces, 0, fill);
  return Buffer.concat(pieces);
}

/** Appends to `pieces`, and gives the length of all so far. */
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

/** Text of people as a text of bytes: its UTF-8, one character a byte. */
export const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** A whole number in so many bytes, the highest first; it wraps around. */
export function bigEndian(value: number | bigint, length: number): string {
  const hex = BigInt.asUintN(8 * length, BigInt(value))
    .toString(16)
    .padStart(2 * length, '0');
  return Buffer.from(hex, 'hex').toString('latin1');
}

/** The same, the lowest byte first. */
export const littleEndian = (value: number | bigint, length: number): string =>
  [...bigEndian(value, length)].reverse().join('');
