import { crc32 } from 'node:zlib';
import {
  CRC_LENGTH,
  ForwardReader,
  PNG_CHUNK_HEADER,
  PNG_SIGNATURE,
  type PngChunk,
  pngChunks,
} from '@postshelf/domain/formats';

/** Returns a chunk, including its length and its CRC (PNG, section 5.3). */
export function pngChunk(type: string, content: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(PNG_CHUNK_HEADER + content.length + CRC_LENGTH);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(content, PNG_CHUNK_HEADER);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -CRC_LENGTH)), PNG_CHUNK_HEADER + content.length);
  return chunk;
}

/** Whether the CRC of a chunk is correct. Decoders skip other chunks, unless these are critical (PNG, section 13.1). */
export function hasCorrectCrc(png: Uint8Array, { at, length }: PngChunk): boolean {
  const end = at + PNG_CHUNK_HEADER + length;
  if (end + CRC_LENGTH > png.length) return false;
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  return crc32(png.subarray(at + 4, end)) === view.getUint32(end);
}

const PALETTE = 3;
/** Colour types that may have a transparent colour, or alpha for the palette (PNG, section 11.3.1.1). */
const WITH_TRANSPARENCY: readonly (number | undefined)[] = [0, 2, PALETTE];

/** Header of a zlib stream with the largest window, and the compression method in its first byte (RFC 1950, 2.2). */
const LARGEST_WINDOW = [0x78, 0x01];
const [METHOD, DEFLATE] = [0x0f, 8];

/** Returns image data with the largest window. Some encoders claim a smaller one than they use; browsers ignore that. */
function withLargestWindow(data: Uint8Array): Uint8Array {
  const [first = 0] = data;
  if (data.length < LARGEST_WINDOW.length || (first & METHOD) !== DEFLATE) return data;
  return Buffer.concat([Buffer.from(LARGEST_WINDOW), data.subarray(LARGEST_WINDOW.length)]);
}

/**
 * Returns a PNG with only the chunks that the pixels need. Bun's decoder refuses some chunks that browsers ignore, such
 * as a suggested palette after the transparent colour, and image data whose header claims too small a window.
 *
 * @param others chunk types to keep
 * @param more chunks to insert after the header
 */
export function plainPng(png: Uint8Array, others: readonly string[], ...more: readonly Uint8Array[]): Uint8Array {
  const colourType = png[PNG_SIGNATURE + PNG_CHUNK_HEADER + 9];
  const reader = ForwardReader.over(png);
  reader.skip(PNG_SIGNATURE);
  const kept: Uint8Array[] = [png.subarray(0, PNG_SIGNATURE)];
  let hasData = false;
  for (const chunk of pngChunks(reader)) {
    if (typeof chunk === 'number') break;
    const { type, length, at } = chunk;
    if (type === 'IDAT' && length > 0 && !hasData) {
      hasData = true;
      const from = at + PNG_CHUNK_HEADER;
      kept.push(pngChunk('IDAT', withLargestWindow(png.subarray(from, from + length))));
      continue;
    }
    const isKept =
      type === 'IHDR' ||
      type === 'IDAT' ||
      type === 'IEND' ||
      (type === 'PLTE' && colourType === PALETTE) ||
      (type === 'tRNS' && !hasData && WITH_TRANSPARENCY.includes(colourType)) ||
      others.includes(type);
    if (isKept) kept.push(png.subarray(at, at + PNG_CHUNK_HEADER + length + CRC_LENGTH));
    if (type === 'IHDR') kept.push(...more);
    if (type === 'IEND') break;
  }
  return Buffer.concat(kept);
}
