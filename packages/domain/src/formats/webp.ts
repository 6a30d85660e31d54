import { Unreadable } from './errors.ts';
import type { ForwardReader } from './forward-reader.ts';
import type { Walk } from './walk.ts';

/** Length of `RIFF`, the length of what follows, and `WEBP`. */
export const WEBP_HEADER = 12;
export const WEBP_CHUNK_HEADER = 8;

/** Flags of `VP8X` (RFC 9649, section 2.7). */
export const VP8X = { profile: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04, animation: 0x02 } as const;

const MAX_ZEROS = 2_000_000;

export interface WebpChunk {
  readonly type: string;
  readonly at: number;
  /** Length of the chunk's content in bytes, as the file claims. */
  readonly length: number;
}

/**
 * Iterates the chunks between the header and an offset. Skips padding, which is zeros between chunks, and bytes at the
 * end that are too few for a header. Throws `Unreadable` if there are too many zeros.
 */
export function* webpChunks(reader: ForwardReader, end: number): Walk<WebpChunk> {
  for (let zeros = 0; reader.position + WEBP_CHUNK_HEADER <= end; ) {
    if (!reader.has(1)) yield 1;
    if (reader.byte() === 0) {
      zeros += 1;
      if (zeros > MAX_ZEROS) throw new Unreadable('The WebP has too much padding.');
      reader.skip(1);
      continue;
    }
    if (!reader.has(WEBP_CHUNK_HEADER)) yield WEBP_CHUNK_HEADER;
    const { position: at } = reader;
    const length = reader.uint32(4, true);
    yield { type: reader.type(), at, length };
    reader.skipTo(at + WEBP_CHUNK_HEADER + length);
  }
}

/** Number of bytes of the content that contain dimensions (RFC 9649, sections 2.5 to 2.7). */
const DIMENSIONS_LENGTH: ReadonlyMap<string, number> = new Map([
  ['VP8 ', 10],
  ['VP8L', 5],
  ['VP8X', 10],
]);

/** Returns the number of bytes that {@link readWebpFrame} needs; 0 if the chunk has no dimensions. */
export function webpFrameLength({ type, length }: WebpChunk): number {
  const needed = DIMENSIONS_LENGTH.get(type) ?? 0;
  return length >= needed ? needed : 0;
}

/** Size in pixels, and flags of {@link VP8X}. */
export interface WebpFrame {
  readonly width: number;
  readonly height: number;
  readonly flags: number;
}

/** Signatures before the dimensions: in `VP8 ` after 3 bytes of flags, in `VP8L` at the beginning. */
const [LOSSY_SIGNATURE, LOSSLESS_SIGNATURE] = [0x9d012a, 0x2f];

/** Reads the chunk at the reader's position; null if it isn't valid. The beginning of the chunk must be buffered. */
export function readWebpFrame(type: string, reader: ForwardReader): WebpFrame | null {
  const at = WEBP_CHUNK_HEADER;
  const u24 = (from: number): number => reader.uint16(from, true) + reader.byte(from + 2) * 0x10000;
  if (type === 'VP8X') return { width: u24(at + 4) + 1, height: u24(at + 7) + 1, flags: reader.byte(at) };
  if (type === 'VP8L') {
    if (reader.byte(at) !== LOSSLESS_SIGNATURE) return null;
    const bits = reader.uint32(at + 1, true);
    const flags = (bits & 0x10000000) !== 0 ? VP8X.alpha : 0;
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, flags };
  }
  if (reader.uint32(at + 2) % 0x1000000 !== LOSSY_SIGNATURE) return null;
  return { width: reader.uint16(at + 6, true) & 0x3fff, height: reader.uint16(at + 8, true) & 0x3fff, flags: 0 };
}

/** Position and size in pixels of an `ANMF` chunk's image on the canvas (RFC 9649, section 2.7.1.1). */
export interface WebpPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Number of bytes of the content that {@link readWebpPlace} needs. */
export const WEBP_FRAME_PLACE = 12;

/** Reads the `ANMF` chunk at the reader's position. The beginning of the chunk must be buffered. */
export function readWebpPlace(reader: ForwardReader): WebpPlace {
  const u24 = (from: number): number =>
    reader.uint16(WEBP_CHUNK_HEADER + from, true) + reader.byte(WEBP_CHUNK_HEADER + from + 2) * 0x10000;
  return { left: 2 * u24(0), top: 2 * u24(3), width: u24(6) + 1, height: u24(9) + 1 };
}
