import { crc32, deflateSync } from 'node:zlib';
import { bigEndian, littleEndian, seedBytes } from '../bytes/bytes.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([latin1(type), data]);
  return Buffer.concat([latin1(bigEndian(data.length, 4)), body, latin1(bigEndian(crc32(body), 4))]);
}

/**
 * A PNG of any dimensions in a few kilobytes: its image data is a million zeros, which compress to a thousandth of
 * their size (PNG, section 10).
 */
export function png(width: number, height: number): Uint8Array {
  const header = latin1(`${bigEndian(width, 4)}${bigEndian(height, 4)}\x08\x06\0\0\0`);
  const data = deflateSync(Buffer.alloc(1_000_000), { level: 9 });
  const signature = latin1('\x89PNG\r\n\x1a\n');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** A PNG whose compressed text and profile decode to hundreds of megabytes each. */
export function pngOfText(): Uint8Array {
  const zeros = deflateSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
  const text = chunk('zTXt', Buffer.concat([latin1('Comment\0\0'), zeros]));
  const profile = chunk('iCCP', Buffer.concat([latin1('x\0\0'), zeros]));
  const whole = png(100, 100);
  return Buffer.concat([whole.subarray(0, 33), text, profile, text, profile, whole.subarray(33)]);
}

/** A GIF whose logical screen claims any dimensions. */
export function gif(width: number, height: number): Uint8Array {
  const bytes = Buffer.from(seedBytes('gif.gif'));
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** A JPEG whose frame header claims any dimensions (ITU-T T.81, B.2.2). */
export function jpeg(width: number, height: number): Uint8Array {
  const bytes = Buffer.from(seedBytes('jpeg.jpg'));
  const frame = bytes.indexOf(latin1('\xff\xc0'));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

/** A WebP whose canvas claims any width and height of up to 24 bits each (RFC 9649, section 2.7). */
export function webp(width: number, height: number): Uint8Array {
  const bytes = Buffer.from(seedBytes('webp-extended.webp'));
  const canvas = bytes.indexOf('VP8X') + 12;
  bytes.write(littleEndian(width - 1, 3) + littleEndian(height - 1, 3), canvas, 'latin1');
  return bytes;
}
