import { Random } from './random.ts';

/** Side lengths and quality that give close to 100,000 bytes of JPEG. */
const PHOTO = { width: 680, height: 510, quality: 80 };

/** Bytes of the headers of a bitmap (BITMAPFILEHEADER, BITMAPINFOHEADER). */
const HEADERS = 54;

/** A JPEG of about 100 KB, the same on every run: grain, as of a photo in poor light, since what is even would be small. */
export async function makePhoto(): Promise<Uint8Array> {
  const { width, height, quality } = PHOTO;
  const random = new Random(1);
  const bitmap = Buffer.alloc(HEADERS + width * height * 3);
  bitmap.write('BM');
  bitmap.writeUInt32LE(bitmap.length, 2);
  bitmap.writeUInt32LE(HEADERS, 10);
  bitmap.writeUInt32LE(HEADERS - 14, 14);
  bitmap.writeInt32LE(width, 18);
  bitmap.writeInt32LE(height, 22);
  bitmap.writeUInt16LE(1, 26);
  bitmap.writeUInt16LE(24, 28);
  for (let at = HEADERS; at < bitmap.length; at++) bitmap[at] = 100 + random.below(64);
  return new Bun.Image(bitmap).jpeg({ quality }).bytes();
}
