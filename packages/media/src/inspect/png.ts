import { crc32 } from 'node:zlib';
import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import { ExifParser } from './probe-parsers.ts';

const SIGNATURE_LENGTH = 8;
/** Length and type before the data of a chunk, CRC after it (PNG, section 5.3). */
const CHUNK_HEADER_LENGTH = 8;
const CHUNK_FRAME_LENGTH = 12;
const IHDR_LENGTH = 13;

/** Chunks before the image data: there are some twenty kinds, of which only text may repeat. */
const MAX_CHUNKS = 10_000;

/** The orientation is in the first directory of the block, which is small; a preview may come after it. */
const EXIF_PREFIX = 64 * 1024;

/**
 * The EXIF orientation, 1 to 8, from an `eXIf` chunk before the image data; 1 when there is none. Throws `Unreadable`
 * unless the header chunk is whole and image data follows.
 */
export async function readPngOrientation(reader: BoundedReader): Promise<number> {
  await checkHeader(reader);
  let orientation = 1;
  let offset = SIGNATURE_LENGTH;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const chunk = await readChunkHeader(reader, offset);
    if (chunk.type === 'IDAT') return orientation;
    if (chunk.type === 'eXIf') orientation = await readOrientation(reader, offset + CHUNK_HEADER_LENGTH, chunk.length);
    offset += CHUNK_FRAME_LENGTH + chunk.length;
  }
  throw new Unreadable('The PNG has no image data.');
}

async function checkHeader(reader: BoundedReader): Promise<void> {
  const { type, length } = await readChunkHeader(reader, SIGNATURE_LENGTH);
  if (type !== 'IHDR' || length !== IHDR_LENGTH) throw new Unreadable('The PNG has no header.');
  const typeAndData = await reader.read(SIGNATURE_LENGTH + 4, 4 + IHDR_LENGTH);
  const expected = crc32(typeAndData);
  const crc = view(await reader.read(SIGNATURE_LENGTH + CHUNK_HEADER_LENGTH + IHDR_LENGTH, 4)).getUint32(0);
  if (crc !== expected) throw new Unreadable('The PNG header is damaged.');
}

async function readChunkHeader(reader: BoundedReader, offset: number): Promise<{ type: string; length: number }> {
  const header = await reader.read(offset, CHUNK_HEADER_LENGTH);
  return { length: view(header).getUint32(0), type: String.fromCharCode(...header.subarray(4)) };
}

async function readOrientation(reader: BoundedReader, offset: number, length: number): Promise<number> {
  const parser = new ExifParser();
  parser.push(await reader.read(offset, Math.min(length, EXIF_PREFIX)));
  return parser.orientation || 1;
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
