import { crc32 } from 'node:zlib';
import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import type { ImageHeaders } from './dimensions.ts';

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
 * The header chunk of a PNG, and the EXIF block from the last `eXIf` chunk before the image data. Throws `Unreadable`
 * unless the header chunk is whole and image data follows.
 */
export async function pngHeaders(reader: BoundedReader): Promise<ImageHeaders> {
  await checkHeader(reader);
  const image = (await reader.read(0, SIGNATURE_LENGTH + CHUNK_FRAME_LENGTH + IHDR_LENGTH)).slice();
  let exif: Uint8Array = new Uint8Array();
  let offset = SIGNATURE_LENGTH;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const { type, length } = await readChunkHeader(reader, offset);
    if (type === 'IDAT') return { image, exif };
    if (type === 'eXIf')
      exif = (await reader.read(offset + CHUNK_HEADER_LENGTH, Math.min(length, EXIF_PREFIX))).slice();
    offset += CHUNK_FRAME_LENGTH + length;
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

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
