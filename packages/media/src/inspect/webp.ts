import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import type { ImageHeaders } from './dimensions.ts';

/** `RIFF`, the length of what follows, `WEBP`. */
const FILE_HEADER_LENGTH = 12;
const CHUNK_HEADER_LENGTH = 8;

/** How much of the chunks that hold dimensions says them (RFC 9649 sections 2.5 to 2.7). */
const SIZE_LENGTHS: Readonly<Record<string, number>> = { 'VP8 ': 10, VP8L: 5, VP8X: 10 };

/** Chunks with dimensions that are kept. A WebP has two at most, the first valid one counts. */
const MAX_KEPT = 16;

/** The orientation is near the beginning of an EXIF block. */
const MAX_EXIF_LENGTH = 1024 * 1024;
const MIN_EXIF_LENGTH = 4;

/**
 * The chunks of a WebP that say how it is displayed, as a WebP of their own: those with dimensions up to the first EXIF
 * block, and that. Image data in between is not read.
 */
export async function webpHeaders(reader: BoundedReader): Promise<ImageHeaders> {
  const fileEnd = Buffer.from(await reader.read(0, FILE_HEADER_LENGTH)).readUInt32LE(4) + CHUNK_HEADER_LENGTH;
  const kept: Uint8Array[] = [];
  for (let offset = FILE_HEADER_LENGTH; ; ) {
    offset = await skipPadding(reader, offset, fileEnd);
    if (offset + CHUNK_HEADER_LENGTH >= fileEnd) return { image: webpOf(kept) };
    const header = Buffer.from(await reader.read(offset, CHUNK_HEADER_LENGTH));
    const [type, length] = [header.toString('latin1', 0, 4), header.readUInt32LE(4)];
    const start = offset + CHUNK_HEADER_LENGTH;
    const wanted = SIZE_LENGTHS[type];
    if (wanted !== undefined && length >= wanted) {
      const content = await reader.read(start, wanted);
      if (kept.length < MAX_KEPT) kept.push(chunk(type, content));
    } else if (type === 'EXIF' && length >= MIN_EXIF_LENGTH) {
      const present = Math.min(length, MAX_EXIF_LENGTH, reader.size - start);
      const isCutOff = start + present === reader.size && present < length;
      const exif = chunk(type, await reader.read(start, present), isCutOff ? length : present);
      return { image: webpOf([...kept, exif]) };
    }
    offset = start + length;
    if (offset > reader.size) throw new Unreadable('A chunk is longer than the file.');
  }
}

/** Where the next chunk begins: zeros stand between some. */
async function skipPadding(reader: BoundedReader, from: number, fileEnd: number): Promise<number> {
  const limit = fileEnd - CHUNK_HEADER_LENGTH;
  for (let offset = from; offset < limit; ) {
    const bytes = await reader.readAhead(offset);
    const at = bytes.findIndex((byte) => byte !== 0);
    if (at >= 0) return Math.min(offset + at, Math.max(limit, from));
    offset += bytes.length;
  }
  return Math.max(limit, from);
}

/** A WebP that says nothing but the orientation in an EXIF block. */
export const webpOfExif = (exif: Uint8Array): Uint8Array =>
  webpOf([chunk('VP8X', new Uint8Array(SIZE_LENGTHS.VP8X ?? 0)), chunk('EXIF', exif)]);

function webpOf(chunks: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]);
  return chunk('RIFF', body);
}

function chunk(type: string, content: Uint8Array, length = content.length): Uint8Array {
  const header = Buffer.alloc(CHUNK_HEADER_LENGTH);
  header.write(type, 'latin1');
  header.writeUInt32LE(length, 4);
  return Buffer.concat([header, content]);
}
