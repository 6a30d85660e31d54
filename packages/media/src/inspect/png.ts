import { crc32 } from 'node:zlib';
import { Damaged, Unreadable } from './bounded-reader.ts';
import type { WalkedImage } from './dimensions.ts';
import type { ForwardReader } from './forward-reader.ts';

const SIGNATURE_LENGTH = 8;
/** Length and type before the data of a chunk, CRC after it (PNG, section 5.3). */
const CHUNK_HEADER_LENGTH = 8;
const CRC_LENGTH = 4;
const IHDR_LENGTH = 13;
const HEADER_END = SIGNATURE_LENGTH + CHUNK_HEADER_LENGTH + IHDR_LENGTH + CRC_LENGTH;

/** The chunk types that matter here, each as the number of its four bytes. */
const numberOf = (type: string): number => Buffer.from(type, 'latin1').readUInt32BE();
const IHDR = numberOf('IHDR');
const IDAT = numberOf('IDAT');
const IEND = numberOf('IEND');
const EXIF = numberOf('eXIf');
const TRANSPARENCY = numberOf('tRNS');
const ANIMATION = numberOf('acTL');
const FRAME = numberOf('fcTL');

/** Bit 5 of a type's first letter: decoders may leave the chunk out (PNG, section 5.4). */
const ANCILLARY = 0x20000000;

/** Colour types 4 and 6 have alpha samples (PNG, section 6.1). */
const HAS_ALPHA_SAMPLES = 0x04;

/** Most chunks before the image data: there are some twenty kinds, of which only text may repeat. */
const MAX_CHUNKS_BEFORE_DATA = 10_000;
/** Most chunks in total: image data in pieces of 8 KB makes 250,000 of 2 GB. */
const MAX_CHUNKS = 1_000_000;

/**
 * Bytes of an EXIF block that are read. The orientation is in its first directory, which is small; a preview may
 * follow.
 */
const EXIF_PREFIX = 64 * 1024;

/**
 * Walks a PNG up to its `IEND` chunk and checks the CRCs of its critical chunks: each is needed for the image, while
 * decoders skip other chunks with a wrong CRC. Keeps the header chunk, and the last `eXIf` chunk before the image data.
 */
export async function walkPng(reader: ForwardReader): Promise<WalkedImage> {
  const header = await readHeader(reader);
  let exif: Uint8Array = new Uint8Array();
  let hasAlpha = ((header[SIGNATURE_LENGTH + CHUNK_HEADER_LENGTH + 9] ?? 0) & HAS_ALPHA_SAMPLES) !== 0;
  let [hasData, isAnimated, frames] = [false, false, 0];
  for (let chunks = 0; ; chunks += 1) {
    if (chunks > (hasData ? MAX_CHUNKS : MAX_CHUNKS_BEFORE_DATA)) throw new Unreadable('The PNG has too many chunks.');
    if (!reader.has(CHUNK_HEADER_LENGTH)) await reader.fill(CHUNK_HEADER_LENGTH);
    const [length, type] = [reader.uint32(), reader.uint32(4)];
    if (!isType(type)) throw new Damaged('Something stands where a chunk should begin.');
    if (type === IDAT) hasData = true;
    else if (type === TRANSPARENCY) hasAlpha = true;
    else if (type === ANIMATION && !hasData) isAnimated = true;
    else if (type === FRAME) frames += 1;
    else if (type === EXIF && !hasData) {
      const prefix = Math.min(length, EXIF_PREFIX);
      if (!reader.has(CHUNK_HEADER_LENGTH + prefix)) await reader.fill(CHUNK_HEADER_LENGTH + prefix);
      exif = reader.bytes(prefix, CHUNK_HEADER_LENGTH).slice();
    }
    if ((type & ANCILLARY) !== 0) reader.skip(CHUNK_HEADER_LENGTH + length + CRC_LENGTH);
    else if (!(skipCheckedIfBuffered(reader, length) ?? (await skipChecked(reader, length)))) {
      throw new Damaged('The CRC of a critical chunk is wrong.');
    }
    if (type === IEND) break;
  }
  if (!hasData) throw new Unreadable('The PNG has no image data.');
  return { image: header, exif, details: { frames: isAnimated ? Math.max(1, frames) : 1, hasAlpha } };
}

/** The signature and the header chunk. A file without them isn't a PNG. */
async function readHeader(reader: ForwardReader): Promise<Uint8Array> {
  if (!(await reader.reaches(HEADER_END))) throw new Unreadable('The PNG has no header.');
  const header = reader.bytes(HEADER_END).slice();
  reader.skip(SIGNATURE_LENGTH);
  const isHeader = reader.uint32() === IHDR_LENGTH && reader.uint32(4) === IHDR;
  if (!isHeader || !skipCheckedIfBuffered(reader, IHDR_LENGTH)) throw new Unreadable('The PNG has no header.');
  return header;
}

/** Whether the type consists of four letters; the case of the third is reserved. */
function isType(type: number): boolean {
  for (let bits = 0; bits < 32; bits += 8) {
    const letter = (type >>> bits) & 0xdf;
    if (letter < 0x41 || letter > 0x5a) return false;
  }
  return true;
}

/**
 * Skips the chunk at the position, and returns whether its CRC is right. null if it isn't completely buffered: then
 * nothing is skipped.
 */
function skipCheckedIfBuffered(reader: ForwardReader, length: number): boolean | null {
  const whole = CHUNK_HEADER_LENGTH + length + CRC_LENGTH;
  if (!reader.has(whole)) return null;
  const isRight = crc32(reader.bytes(4 + length, 4)) === reader.uint32(CHUNK_HEADER_LENGTH + length);
  reader.skip(whole);
  return isRight;
}

/** The same for a chunk of any length. */
async function skipChecked(reader: ForwardReader, length: number): Promise<boolean> {
  reader.skip(4);
  let crc = 0;
  for (let left = 4 + length; left > 0; ) {
    if (!reader.has(1)) await reader.fill(1);
    const bytes = reader.ahead().subarray(0, left);
    crc = crc32(bytes, crc);
    reader.skip(bytes.length);
    left -= bytes.length;
  }
  if (!reader.has(CRC_LENGTH)) await reader.fill(CRC_LENGTH);
  const isRight = crc === reader.uint32();
  reader.skip(CRC_LENGTH);
  return isRight;
}
