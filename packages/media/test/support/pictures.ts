import { crc32 } from 'node:zlib';

/** Returns a chunk of a PNG with its CRC. */
export function pngChunk(type: string, content: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + content.length);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + content.length)), 8 + content.length);
  return chunk;
}

/** Appends a chunk to the WebP. */
export function withWebpChunk(webp: Buffer, type: string, length: number, padding: number): Buffer {
  const chunk = Buffer.alloc(8 + length + padding, 0x41);
  chunk.write(type, 0, 'latin1');
  chunk.writeUInt32LE(length, 4);
  chunk.fill(0, 8 + length);
  const bytes = Buffer.concat([webp, chunk]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

/** Returns a number as two bytes, big-endian. */
export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
