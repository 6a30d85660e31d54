import { ENTRY_LENGTH, type ExifEntry, TiffBlock, withoutPrefix } from '@postshelf/domain/formats';
import type { Outcome } from './names.ts';
import { stripXmp } from './xmp.ts';

/** Maximum size of a block, in bytes. A longer block is removed; cameras write blocks of about 64 KB. */
export const MAX_EXIF_LENGTH = 1024 * 1024;

/** Tags (EXIF 3.0, section 4.6; TIFF 6.0; XMP part 3). */
const [GPS_IFD, XMP, THUMBNAIL, THUMBNAIL_LENGTH] = [0x8825, 0x02bc, 0x0201, 0x0202];
const SUB_IFDS = 0x014a;
const DIRECTORIES = new Set([0x8769, 0xa005, SUB_IFDS]);
/** GeoTIFF: pixel scale, tie points, transformation, and the reference system. */
const GEO_TAGS = new Set([0x830e, 0x8482, 0x85d8, 0x87af, 0x87b0, 0x87b1]);

/** Maximum number of entries to read. Reading that many takes a few milliseconds. Further entries aren't read. */
const MAX_ENTRIES = 500;
const MAX_DIRECTORIES = 32;
const MAX_SUB_IFDS = 16;
const MAX_THUMBNAILS = 4;
const MAX_THUMBNAIL_LENGTH = 128 * 1024;
const MAX_PACKET_LENGTH = 128 * 1024;

/**
 * Maximum number of times that a block is read. Directories in a crafted block may overlap, so it is read again until
 * nothing more is found.
 */
const MAX_ROUNDS = 3;

/**
 * Removes the GPS directories from a TIFF block, the format of EXIF, and coordinates from its XMP and its thumbnail. A
 * block that can't be read completely has to be removed if it points to a GPS directory.
 *
 * @param stripThumbnail strips a JPEG in place; returns whether it changed
 */
export function stripExif(bytes: Uint8Array, stripThumbnail: (jpeg: Uint8Array) => boolean): Outcome {
  const block = withoutPrefix(bytes);
  if (block.length > MAX_EXIF_LENGTH) return 'drop';
  const tiff = TiffBlock.of(block);
  if (tiff === null) return pointsToGps(block) ? 'drop' : 'untouched';
  let outcome: Outcome = 'untouched';
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const reader = new Directories(tiff, stripThumbnail);
    reader.strip();
    if (reader.hasUnreadable || (reader.isBroken && pointsToGps(block))) return 'drop';
    if (!reader.hasChanged) return outcome;
    outcome = 'changed';
  }
  return 'drop';
}

/**
 * The first bytes of an entry that points to a GPS directory: its tag and either of two types, in either byte order.
 */
const POINTERS = ['88250004', '8825000d', '25880400', '25880d00'].map((bytes) => Buffer.from(bytes, 'hex'));

function pointsToGps(block: Uint8Array): boolean {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  return POINTERS.some((pointer) => bytes.includes(pointer));
}

class Directories {
  hasChanged = false;
  /** Whether a directory couldn't be read, or there are too many directories. */
  isBroken = false;
  /** Whether there are, or may be, coordinates that can't be removed one by one. */
  hasUnreadable = false;
  #packets = 0;
  #thumbnails = 0;
  readonly #block: Uint8Array;
  readonly #seen = new Set<number>();
  readonly #waiting: number[] = [];
  #budget: number;

  constructor(
    private readonly tiff: TiffBlock,
    private readonly stripThumbnail: (jpeg: Uint8Array) => boolean,
  ) {
    this.#block = tiff.bytes;
    this.#budget = 2 * tiff.bytes.length;
  }

  strip(): void {
    this.#waiting.push(this.tiff.first);
    for (let at = this.#waiting.shift(); at !== undefined; at = this.#waiting.shift()) {
      if (at === 0 || this.#seen.has(at)) continue;
      this.#seen.add(at);
      if (this.#seen.size > MAX_DIRECTORIES) this.isBroken = true;
      else this.#stripDirectory(at);
    }
  }

  #stripDirectory(at: number): void {
    const entries = this.#entries(at);
    if (entries === null) return;
    const kept: ExifEntry[] = [];
    for (const entry of entries) {
      if (entry.tag === GPS_IFD) this.#clearDirectory(this.tiff.valueOf(entry));
      else if (GEO_TAGS.has(entry.tag)) this.#clear(entry);
      else kept.push(entry);
    }
    const end = at + 2 + ENTRY_LENGTH * entries.length;
    const next = end + 4 <= this.#block.length ? this.tiff.uint32(end) : 0;
    this.#waiting.push(next);
    for (const entry of kept) this.#follow(entry);
    this.#followThumbnail(kept);
    if (kept.length < entries.length) this.#rewrite(at, kept, entries.length, next);
  }

  #follow(entry: ExifEntry): void {
    if (DIRECTORIES.has(entry.tag)) {
      const count = entry.tag === SUB_IFDS ? Math.min(entry.count, MAX_SUB_IFDS) : 1;
      for (let index = 0; index < count; index += 1) {
        const at = entry.start + 4 * index;
        if (at + 4 <= this.#block.length) this.#waiting.push(this.tiff.uint32(at));
      }
    } else if (entry.tag === XMP) {
      const packet = this.#values(entry);
      this.#packets += 1;
      const isTooMuch = this.#packets > 1 || packet.length > MAX_PACKET_LENGTH;
      const outcome = isTooMuch ? 'drop' : stripXmp(packet);
      if (outcome === 'drop') this.hasUnreadable = true;
      if (outcome === 'changed') this.hasChanged = true;
    }
  }

  #followThumbnail(entries: readonly ExifEntry[]): void {
    const start = entries.find(({ tag }) => tag === THUMBNAIL);
    const length = entries.find(({ tag }) => tag === THUMBNAIL_LENGTH);
    if (!start || !length) return;
    this.#thumbnails += 1;
    if (this.#thumbnails > MAX_THUMBNAILS) return;
    const offset = this.tiff.valueOf(start);
    const thumbnail = this.#block.subarray(offset, offset + Math.min(this.tiff.valueOf(length), MAX_THUMBNAIL_LENGTH));
    if (this.stripThumbnail(thumbnail)) this.hasChanged = true;
  }

  #entries(at: number): readonly ExifEntry[] | null {
    const entries = this.tiff.entries(at, MAX_ENTRIES);
    if (entries === null) this.isBroken = true;
    return entries;
  }

  #values({ start, length }: ExifEntry): Uint8Array {
    return this.#block.subarray(start, start + length);
  }

  #clear(entry: ExifEntry): void {
    const values = this.#values(entry);
    this.#budget -= values.length;
    if (this.#budget < 0) this.hasUnreadable = true;
    else values.fill(0);
    this.hasChanged = true;
  }

  #clearDirectory(at: number): void {
    this.hasChanged = true;
    // No reader finds a directory outside the block, so there is nothing to clear.
    if (at < 8 || at >= this.#block.length) return;
    const entries = this.#entries(at);
    if (entries === null) this.hasUnreadable = true;
    if (entries === null) return;
    for (const entry of entries) this.#clear(entry);
    this.#block.fill(0, at, at + 2 + ENTRY_LENGTH * entries.length + 4);
  }

  /** Writes the directory again in the same place, with only the kept entries. */
  #rewrite(at: number, kept: readonly ExifEntry[], before: number, next: number): void {
    const entries = kept.map(({ offset }) => new Uint8Array(this.#block.subarray(offset, offset + ENTRY_LENGTH)));
    const end = at + 2 + ENTRY_LENGTH * before;
    this.#block.fill(0, at, Math.min(end + 4, this.#block.length));
    this.tiff.view.setUint16(at, kept.length, this.tiff.isLittleEndian);
    for (const [index, entry] of entries.entries()) this.#block.set(entry, at + 2 + ENTRY_LENGTH * index);
    this.tiff.view.setUint32(at + 2 + ENTRY_LENGTH * kept.length, next, this.tiff.isLittleEndian);
    this.hasChanged = true;
  }
}
