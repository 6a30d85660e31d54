import { viewOf } from './forward-reader.ts';

export interface ExifEntry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly offset: number;
  /** Offset of the value, which is in the entry itself or at the offset that the entry contains. */
  readonly start: number;
  readonly length: number;
}

const TYPE_LENGTHS = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const SHORT = 3;

export const ENTRY_LENGTH = 12;

/**
 * The two byte orders, and the number 42, which follows in the byte order of the file. The offset of the first
 * directory comes next.
 */
const [LITTLE, BIG, MAGIC] = [0x4949, 0x4d4d, 42];
const HEADER_LENGTH = 8;

/** `Exif\0\0`. */
const PREFIX = [0x45, 0x78, 0x69, 0x66, 0, 0];
const ORIENTATION = 0x0112;

/** Removes the prefix that some formats put before a TIFF block. */
export const withoutPrefix = (bytes: Uint8Array): Uint8Array =>
  PREFIX.every((byte, index) => bytes[index] === byte) ? bytes.subarray(PREFIX.length) : bytes;

/** A TIFF block (EXIF 3.0, section 4.5). Offsets count from its beginning. */
export class TiffBlock {
  readonly view: DataView;
  readonly isLittleEndian: boolean;

  private constructor(readonly bytes: Uint8Array) {
    this.view = viewOf(bytes);
    this.isLittleEndian = this.view.getUint16(0) === LITTLE;
  }

  /** Returns null if the bytes don't start with the header of a TIFF block. */
  static of(bytes: Uint8Array): TiffBlock | null {
    const block = bytes.length < HEADER_LENGTH ? null : new TiffBlock(bytes);
    const isTiff = block?.isLittleEndian || block?.view.getUint16(0) === BIG;
    return isTiff && block.uint16(2) === MAGIC ? block : null;
  }

  get first(): number {
    return this.uint32(4);
  }

  /** Returns the entries of a directory; null if it is truncated or has more than `max` entries. */
  entries(at: number, max: number): readonly ExifEntry[] | null {
    const count = at + 2 <= this.bytes.length ? this.uint16(at) : max + 1;
    if (count > max || at + 2 + ENTRY_LENGTH * count > this.bytes.length) return null;
    return Array.from({ length: count }, (_, index) => this.#entry(at + 2 + ENTRY_LENGTH * index));
  }

  #entry(offset: number): ExifEntry {
    const [tag, type, count] = [this.uint16(offset), this.uint16(offset + 2), this.uint32(offset + 4)];
    const length = (TYPE_LENGTHS[type] ?? 0) * count;
    return { tag, type, count, offset, length, start: length > 4 ? this.uint32(offset + 8) : offset + 8 };
  }

  valueOf({ type, offset }: ExifEntry): number {
    return type === SHORT ? this.uint16(offset + 8) : this.uint32(offset + 8);
  }

  uint16(offset: number): number {
    return this.view.getUint16(offset, this.isLittleEndian);
  }

  uint32(offset: number): number {
    return this.view.getUint32(offset, this.isLittleEndian);
  }
}

/**
 * Returns the orientation, 1 to 8, as browsers read it: the first entry that is a single SHORT with a valid value
 * counts (EXIF 3.0, section 4.6.5.1.6). Returns 1 if there is no such entry. A directory may claim more entries than it
 * has, so only entries inside the block are read.
 *
 * @param tiff the block from its byte order on
 */
export function orientationOf(tiff: Uint8Array): number {
  const block = TiffBlock.of(tiff);
  if (block === null || block.first + 2 > tiff.length) return 1;
  const from = block.first + 2;
  const end = Math.min(from + ENTRY_LENGTH * block.uint16(block.first), tiff.length);
  for (let at = from; at + ENTRY_LENGTH <= end; at += ENTRY_LENGTH) {
    if (block.uint16(at) !== ORIENTATION || block.uint16(at + 2) !== SHORT || block.uint32(at + 4) !== 1) continue;
    const orientation = block.uint16(at + 8);
    if (orientation >= 1 && orientation <= 8) return orientation;
  }
  return 1;
}
