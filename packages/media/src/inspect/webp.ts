import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import type { ImageHeaders } from './dimensions.ts';

/** `RIFF`, the length of what follows, `WEBP`. */
const FILE_HEADER_LENGTH = 12;
const CHUNK_HEADER_LENGTH = 8;

/** How much of the chunks that hold dimensions says them (RFC 9649 sections 2.5 to 2.7). */
const SIZE_LENGTHS: Readonly<Record<string, number>> = { 'VP8 ': 10, VP8L: 5, VP8X: 10 };

/** The orientation is near the beginning of an EXIF block. */
const MAX_EXIF_LENGTH = 1024 * 1024;
const MIN_EXIF_LENGTH = 4;

/** The chunks that are looked for, by the number that their type is as bytes. */
const WANTED = new Map(
  Object.entries({ ...SIZE_LENGTHS, EXIF: MIN_EXIF_LENGTH }).map(
    ([type, least]) => [Buffer.from(type, 'latin1').readUInt32BE(), { type, least }] as const,
  ),
);

/** Chunks with dimensions that are kept. A WebP has two at most, the first valid one counts. */
const MAX_KEPT = 16;

/**
 * The chunks of a WebP that say how it is displayed, as a WebP of their own: those with dimensions up to the first EXIF
 * block, and that. Image data in between is not read.
 */
export async function webpHeaders(reader: BoundedReader): Promise<ImageHeaders> {
  const fileEnd = Buffer.from(await reader.read(0, FILE_HEADER_LENGTH)).readUInt32LE(4) + CHUNK_HEADER_LENGTH;
  const kept: Uint8Array[] = [];
  for (let offset = FILE_HEADER_LENGTH; ; ) {
    if (offset > reader.size) throw new Unreadable('A chunk is longer than the file.');
    const limit = fileEnd - CHUNK_HEADER_LENGTH - offset;
    if (limit <= 0) return { image: webpOf(kept) };
    const least = Math.min(CHUNK_HEADER_LENGTH, reader.size - offset);
    if (least <= 0) throw new Unreadable('The file ends early.');
    const { found, end } = nextChunk(await reader.readAhead(offset, least), limit);
    if (end === 0) throw new Unreadable('The file ends early.');
    offset += end;
    if (found === null) continue;
    const { type, length } = found;
    const wanted = SIZE_LENGTHS[type];
    if (wanted === undefined) {
      const present = Math.min(length, MAX_EXIF_LENGTH, reader.size - offset);
      const isCutOff = offset + present === reader.size && present < length;
      const exif = chunk(type, await reader.read(offset, present), isCutOff ? length : present);
      return { image: webpOf([...kept, exif]) };
    }
    const content = await reader.read(offset, wanted);
    if (kept.length < MAX_KEPT) kept.push(chunk(type, content));
    offset += length;
  }
}

/**
 * The first chunk in the bytes that is wanted, and where its content begins; null when there is none before the limit, and
 * where to look on. At once for all the bytes, as a file may consist of empty chunks.
 */
function nextChunk(bytes: Uint8Array, limit: number): { readonly found: Chunk | null; readonly end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; ; ) {
    // Zeros stand between some chunks.
    while (at < bytes.length && at < limit && bytes[at] === 0) at += 1;
    const start = at + CHUNK_HEADER_LENGTH;
    if (at >= limit || start > bytes.length) return { found: null, end: at };
    const length = view.getUint32(at + 4, true);
    const wanted = WANTED.get(view.getUint32(at));
    if (wanted && length >= wanted.least) return { found: { type: wanted.type, length }, end: start };
    at = start + length;
  }
}

interface Chunk {
  readonly type: string;
  /** Bytes of its content. */
  readonly length: number;
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
