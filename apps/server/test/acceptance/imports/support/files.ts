import { bigMp4, faststartMp4, jpeg } from '../../support/fixtures.ts';

export const megabyte = 1024 * 1024;
/** "200 MB = 200 × 1024 × 1024 bytes, 50 MB and 2 GB likewise". */
export const awaitedImageLimit = 50 * megabyte;
export const libraryLimit = 2048 * megabyte;

/** A valid MP4 of exactly `size` bytes, with its movie header at the very end. Every `mark` gives a different file. */
export function movie(size: number, mark = 0): Uint8Array {
  const { head, zeros, tail } = bigMp4(size);
  return Buffer.concat([head, Buffer.alloc(zeros, mark % 256), tail]);
}

/** A valid MP4 of exactly `size` bytes that begins with its movie header. */
export function fastMovie(size: number): Uint8Array {
  const bytes = faststartMp4();
  const free = Buffer.alloc(size - bytes.length);
  free.writeUInt32BE(free.length, 0);
  free.write('free', 4, 'latin1');
  return Buffer.concat([bytes, free]);
}

/** A JPEG of exactly `size` bytes. It is padded with zeros after its end marker, which readers ignore. */
export function picture(size: number): Uint8Array {
  const bytes = jpeg();
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
}
