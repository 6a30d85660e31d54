import { type ExifEntry, TiffBlock } from '@postshelf/domain/formats';

/** Tags (EXIF 3.0, section 4.6; TIFF 6.0). */
const [ORIENTATION, EXIF, GPS, INTEROPERABILITY] = [0x0112, 0x8769, 0x8825, 0xa005];

/** The tags that point to directories to keep. The thumbnail's directory is not among them. */
const DIRECTORIES: ReadonlySet<number> = new Set([EXIF, GPS, INTEROPERABILITY]);

/**
 * Fields to drop, because they aren't true of the new file or refer to offsets in the old one: sizes, offsets of image
 * data, other directories, XMP, profiles and maker notes.
 */
const DROPPED: ReadonlySet<number> = new Set([
  ...[0x0100, 0x0101, 0x0111, 0x0115, 0x0116, 0x0117, 0x011c, 0x0142, 0x0143, 0x0144, 0x0145, 0x014a],
  ...[0x0201, 0x0202, 0x02bc, 0x8773, 0x927c, 0xa002, 0xa003, 0xc4a5, 0xea1c],
]);

const MAX_ENTRIES = 300;
const MAX_VALUE = 8 * 1024;

/** Maximum size of the new EXIF, in bytes; it must fit into a segment of a JPEG. */
const MAX_LENGTH = 60_000;

const LONG = 4;
const ENTRY = 12;

interface Field extends Pick<ExifEntry, 'tag' | 'type' | 'count'> {
  readonly value: Uint8Array | Directory;
}

type Directory = readonly Field[];

/**
 * Returns the EXIF for a file's upright copy: date, camera, settings, coordinates and texts, but no thumbnail.
 *
 * @param tiff the block, beginning with the byte order
 * @returns null if nothing in the block can be read
 */
export function exifForCopy(tiff: Uint8Array): Uint8Array | null {
  const block = TiffBlock.of(tiff);
  if (block === null) return null;
  const first = readDirectory(block, block.first, 0);
  return first.length === 0 ? null : new Writer(block.isLittleEndian).write(first);
}

/** Reads a directory. Leaves out unwanted fields, and fields whose value is missing, cut off or too long. */
function readDirectory(block: TiffBlock, at: number, depth: number): Directory {
  const entries = block.entries(at, MAX_ENTRIES) ?? [];
  return entries.flatMap((entry): Directory => {
    const { tag, type, count, start, length } = entry;
    if (DIRECTORIES.has(tag)) {
      const value = depth < 2 ? readDirectory(block, block.valueOf(entry), depth + 1) : [];
      return value.length === 0 ? [] : [{ tag, type: LONG, count: 1, value }];
    }
    const value = block.bytes.slice(start, start + length);
    if (DROPPED.has(tag) || length === 0 || length > MAX_VALUE || value.length < length) return [];
    if (tag === ORIENTATION && length <= 4) value.fill(0).set([1], block.isLittleEndian ? 0 : Math.min(length, 2) - 1);
    return [{ tag, type, count, value }];
  });
}

const isDirectory = (value: Field['value']): value is Directory => !(value instanceof Uint8Array);

class Writer {
  readonly #bytes = Buffer.alloc(MAX_LENGTH);
  #end = 8;

  constructor(private readonly isLittleEndian: boolean) {}

  write(first: Directory): Uint8Array {
    this.#bytes.write(this.isLittleEndian ? 'II*\0' : 'MM\0*', 'latin1');
    this.#number(4, this.#directory(first), 4);
    return this.#bytes.subarray(0, this.#end);
  }

  /** Writes a directory and returns its offset. A value for which there is no room is left out. */
  #directory(fields: Directory): number {
    const at = this.#end;
    this.#end += 2 + ENTRY * fields.length + 4;
    let count = 0;
    for (const { tag, type, count: values, value } of fields) {
      const length = isDirectory(value) ? lengthOf(value) : value.length > 4 ? value.length : 0;
      if (this.#end + length + 1 > MAX_LENGTH) continue;
      const entry = at + 2 + ENTRY * count;
      this.#number(entry, tag, 2);
      this.#number(entry + 2, type, 2);
      this.#number(entry + 4, values, 4);
      if (isDirectory(value)) this.#number(entry + 8, this.#directory(value), 4);
      else if (length === 0) this.#bytes.set(value, entry + 8);
      else this.#number(entry + 8, this.#append(value), 4);
      count += 1;
    }
    this.#number(at, count, 2);
    return at;
  }

  #append(value: Uint8Array): number {
    const at = this.#end;
    this.#bytes.set(value, at);
    this.#end += value.length + (value.length & 1);
    return at;
  }

  #number(at: number, value: number, length: 2 | 4): void {
    if (this.isLittleEndian) this.#bytes.writeUIntLE(value, at, length);
    else this.#bytes.writeUIntBE(value, at, length);
  }
}

/** The length of a directory with its values. */
const lengthOf = (fields: Directory): number =>
  fields.reduce(
    (sum, { value }) => sum + ENTRY + (isDirectory(value) ? lengthOf(value) : value.length + (value.length & 1)),
    6,
  );

/** Maximum size of XMP, in bytes. Longer XMP is left out, because it doesn't fit into one segment of a JPEG. */
const MAX_XMP_LENGTH = 60_000;

/**
 * Matches properties that describe other images in the file, such as gain maps and depth, which the copy doesn't have.
 */
const OF_OTHER_IMAGES = /hdrgm:|HDRGainMap|GContainer|Container:Directory|GDepth|GCamera:/;

const XMP_ORIENTATION = /(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8]/g;

/**
 * Returns the XMP for a file's upright copy; null if it is too long or describes other images, which the copy lacks.
 */
export function xmpForCopy(xmp: Uint8Array): Uint8Array | null {
  if (xmp.length > MAX_XMP_LENGTH) return null;
  // Latin-1 maps every byte to a character and back, so all other bytes of the packet stay unchanged.
  const text = Buffer.from(xmp).toString('latin1');
  return OF_OTHER_IMAGES.test(text) ? null : Buffer.from(text.replace(XMP_ORIENTATION, '$11'), 'latin1');
}
