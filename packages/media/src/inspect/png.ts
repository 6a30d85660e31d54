import { crc32 } from 'node:zlib';
import {
  CRC_LENGTH,
  Damaged,
  type ForwardReader,
  PNG_CHUNK_HEADER,
  PNG_SIGNATURE,
  pngChunks,
  pngExifLength,
  pngFault,
  readPngOrientation,
  Unreadable,
  Unsupported,
} from '@postshelf/domain/formats';
import type { WalkedImage } from './dimensions.ts';

const IHDR_LENGTH = 13;
const HEADER_END = PNG_SIGNATURE + PNG_CHUNK_HEADER + IHDR_LENGTH + CRC_LENGTH;

/** The bit that marks the colour types with alpha samples, 4 and 6 (PNG, section 6.1). */
const HAS_ALPHA_SAMPLES = 0x04;
const PALETTE = 3;

const IS_TYPE = /^[A-Za-z]{4}$/;
/** Matches the types of chunks that decoders may skip: their first letter is in lower case (PNG, section 5.4). */
const IS_ANCILLARY = /^[a-z]/;

/** The known critical chunks. A decoder that doesn't know one of an image's critical chunks can't show the image. */
const KNOWN = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND']);

/**
 * Maximum number of chunks before the image data. There are about twenty kinds, of which only text may occur
 * repeatedly.
 */
const MAX_CHUNKS_BEFORE_DATA = 10_000;
const MAX_CHUNKS = 1_000_000;

/**
 * Walks a PNG up to `IEND` and checks the CRCs of its critical chunks. Decoders skip other chunks if their CRC is
 * wrong. The orientation is that of the first `eXIf` chunk before the image data, as in browsers.
 */
export async function walkPng(reader: ForwardReader): Promise<WalkedImage> {
  const { width, height, ...header } = await readHeader(reader);
  let { hasAlpha } = header;
  let orientation: number | null = null;
  let [hasPalette, previous] = [false, ''];
  let [chunks, hasData, isAnimated, frames] = [0, false, false, 0];
  for (const chunk of pngChunks(reader)) {
    if (typeof chunk === 'number') {
      await reader.fill(chunk);
      continue;
    }
    const { type, length } = chunk;
    if (chunks > (hasData ? MAX_CHUNKS : MAX_CHUNKS_BEFORE_DATA)) throw new Unreadable('The PNG has too many chunks.');
    chunks += 1;
    if (!IS_TYPE.test(type)) throw new Damaged('There are unknown bytes where a chunk should begin.');
    if (type === 'IDAT') {
      if (hasData && previous !== 'IDAT')
        throw new Damaged('There is another chunk between the parts of the image data.');
      if (header.needsPalette && !hasPalette)
        throw new Unsupported('is a PNG without its palette, so nothing can show it. Save it as PNG again.');
      hasData = true;
    } else if (type === 'tRNS') hasAlpha = true;
    else if (type === 'acTL' && !hasData) isAnimated = true;
    else if (type === 'fcTL') frames += 1;
    else if (type === 'PLTE') hasPalette = true;
    else if (type === 'eXIf' && !hasData && orientation === null) {
      const needed = pngExifLength(chunk);
      if (needed !== null) {
        await reader.fill(needed);
        orientation = readPngOrientation(chunk, reader);
      }
    }
    if (!IS_ANCILLARY.test(type) && !(checkIfBuffered(reader, length) ?? (await check(reader, length))))
      throw new Damaged('The CRC of a critical chunk is wrong.');
    if (type === 'IEND') break;
    if (!IS_ANCILLARY.test(type) && !KNOWN.has(type))
      throw new Unsupported(`is a PNG with a chunk “${type}” that no program knows. Save it as PNG again.`);
    if (type === 'IHDR' && chunks > 1) throw new Damaged('The PNG has a second header.');
    previous = type;
  }
  if (!hasData) throw new Unreadable('The PNG has no image data.');
  const details = { frames: isAnimated ? Math.max(1, frames) : 1, hasAlpha };
  return { width, height, orientation: orientation ?? 1, hasEnd: true, details };
}

/** Skips the signature, and reads the header chunk without consuming it, because the walk begins with it. */
async function readHeader(reader: ForwardReader) {
  if (!(await reader.reaches(HEADER_END))) throw new Unreadable('The PNG has no header.');
  reader.skip(PNG_SIGNATURE);
  if (reader.type(4) === 'CgBI')
    throw new Unsupported('is a PNG of an iPhone app (CgBI), which browsers can’t show. Save it as PNG again.');
  const isHeader = reader.uint32() === IHDR_LENGTH && reader.type(4) === 'IHDR';
  if (!isHeader || !checkIfBuffered(reader, IHDR_LENGTH)) throw new Unreadable('The PNG has no header.');
  const at = PNG_CHUNK_HEADER;
  const fault = pngFault(reader.bytes(IHDR_LENGTH, at));
  if (fault !== null) throw new Unsupported(fault);
  const type = reader.byte(at + 9);
  return {
    width: reader.uint32(at),
    height: reader.uint32(at + 4),
    hasAlpha: (type & HAS_ALPHA_SAMPLES) !== 0,
    needsPalette: type === PALETTE,
  };
}

/** Whether a chunk's CRC is correct; null if the chunk isn't completely buffered. */
function checkIfBuffered(reader: ForwardReader, length: number): boolean | null {
  if (!reader.has(PNG_CHUNK_HEADER + length + CRC_LENGTH)) return null;
  return crc32(reader.bytes(4 + length, 4)) === reader.uint32(PNG_CHUNK_HEADER + length);
}

async function check(reader: ForwardReader, length: number): Promise<boolean> {
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
  return crc === reader.uint32();
}
