import { orientationOf } from './exif.ts';
import type { ForwardReader } from './forward-reader.ts';
import type { Walk } from './walk.ts';

export const PNG_SIGNATURE = 8;
/** Length of a chunk's length and type, before its data; the CRC follows the data (PNG, section 5.3). */
export const PNG_CHUNK_HEADER = 8;
export const CRC_LENGTH = 4;

export interface PngChunk {
  readonly type: string;
  /** The offset of the chunk's length field. */
  readonly at: number;
  readonly length: number;
}

/** Iterates all chunks after the signature, even those after `IEND`. */
export function* pngChunks(reader: ForwardReader): Walk<PngChunk> {
  for (;;) {
    if (!reader.has(PNG_CHUNK_HEADER)) yield PNG_CHUNK_HEADER;
    const { position: at } = reader;
    const length = reader.uint32();
    yield { type: reader.type(4), at, length };
    reader.skipTo(at + PNG_CHUNK_HEADER + length + CRC_LENGTH);
  }
}

/**
 * Maximum length in bytes of an EXIF block that is read. The orientation is near the beginning, but the CRC can be
 * checked only by reading the whole chunk.
 */
const MAX_EXIF_LENGTH = 1024 * 1024;

/** Returns the number of bytes that {@link readPngOrientation} needs; null if the chunk is too long to be read. */
export const pngExifLength = ({ length }: PngChunk): number | null =>
  length > MAX_EXIF_LENGTH ? null : PNG_CHUNK_HEADER + length + CRC_LENGTH;

/**
 * Reads the orientation in the `eXIf` chunk at the reader's position. The whole chunk must be buffered. Returns null if
 * its CRC is wrong, because decoders then skip it. Only the first `eXIf` chunk counts, and only before the image data.
 */
export function readPngOrientation({ length }: PngChunk, reader: ForwardReader): number | null {
  if (crc32(reader.bytes(4 + length, 4)) !== reader.uint32(PNG_CHUNK_HEADER + length)) return null;
  return orientationOf(reader.bytes(length, PNG_CHUNK_HEADER));
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Computes a CRC (PNG, annex D) without Node.js modules, because this code also runs in browsers. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Bits per sample, by colour type (PNG, table 11.1). */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/**
 * Checks the content of an `IHDR` chunk. Returns the fault if a value isn't defined in the PNG specification, because
 * no decoder accepts such a file; null if all values are defined.
 */
export function pngFault(header: Uint8Array): string | null {
  const [depth = 0, type = 0, compression, filter, interlace = 0] = header.subarray(8);
  const unknown =
    DEPTHS[type] === undefined
      ? `the colour type ${type}`
      : !DEPTHS[type].includes(depth)
        ? `${depth} bits per sample in the colour type ${type}`
        : compression !== 0
          ? `the compression method ${compression}`
          : filter !== 0
            ? `the filter method ${filter}`
            : interlace > 1
              ? `the interlace method ${interlace}`
              : null;
  return unknown && `is a PNG with ${unknown}, which doesn’t exist, so nothing can show it. Save it as PNG again.`;
}
