import type { Cursor } from './cursor.ts';
import { findInJpeg } from './jpeg.ts';
import { findInMovie } from './movie.ts';
import type { PatchList } from './patch-list.ts';

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const MOVIE_TYPE = Buffer.from('ftyp', 'latin1');
/** Length and type of the first box of a movie. */
const LENGTH_BYTES = 4;
const LEAST = 12;

/**
 * Finds coordinates in the data that phones append to a JPEG: further images with metadata of their own (MPF, gain
 * maps), and the video of a motion photo.
 */
export async function findBehindJpeg(cursor: Cursor, patches: PatchList): Promise<void> {
  const { forward } = cursor;
  while (await forward.reaches(LEAST)) {
    const ahead = forward.ahead();
    const bytes = Buffer.from(ahead.buffer, ahead.byteOffset, ahead.length);
    const jpeg = bytes.indexOf(JPEG_START);
    const movie = indexOfMovie(bytes);
    if (movie >= 0 && (jpeg < 0 || movie < jpeg)) {
      await findInMovie(cursor, forward.position + movie - LENGTH_BYTES, patches);
      return;
    }
    forward.skip(jpeg >= 0 ? jpeg : bytes.length - LEAST + 1);
    if (jpeg >= 0) await findInJpeg(cursor, patches);
  }
}

/** Returns where a movie begins. Its first box is short, unlike the data of a scan before it. */
function indexOfMovie(bytes: Buffer): number {
  for (let at = bytes.indexOf(MOVIE_TYPE); at >= 0; at = bytes.indexOf(MOVIE_TYPE, at + 1)) {
    if (at >= LENGTH_BYTES && bytes.readUInt16BE(at - LENGTH_BYTES) === 0) return at;
  }
  return -1;
}
