import type { ByteSource, LocationFinder, MediaType, Patch } from '@postshelf/domain';
import { Damaged, Unreadable } from '@postshelf/domain/formats';
import pLimit from 'p-limit';
import { Cursor } from './cursor.ts';
import { findInGif } from './gif.ts';
import { findInJpeg } from './jpeg.ts';
import { findInMovie } from './movie.ts';
import { BeyondBounds, PatchList } from './patch-list.ts';
import { findInPng } from './png.ts';
import { findInWebp } from './webp.ts';

const CONCURRENCY = 2;

type Find = (cursor: Cursor, patches: PatchList) => Promise<void>;

const findAllInMovie: Find = (cursor, patches) => findInMovie(cursor, 0, patches);

const FINDS: Readonly<Record<MediaType, Find>> = {
  'image/jpeg': findAllInJpeg,
  'image/png': findInPng,
  'image/gif': findInGif,
  'image/webp': findInWebp,
  'video/mp4': findAllInMovie,
  'video/quicktime': findAllInMovie,
};

export function createLocationFinder(): LocationFinder {
  const limit = pLimit(CONCURRENCY);
  return { find: (type, source) => limit(find, type, source) };
}

async function find(type: MediaType, source: ByteSource): Promise<readonly Patch[] | null> {
  const patches = new PatchList();
  try {
    await FINDS[type](new Cursor(source), patches);
  } catch (error) {
    if (error instanceof BeyondBounds) return null;
    // No other program can read the file beyond this point either, so coordinates beyond it don't matter.
    if (!(error instanceof Unreadable || error instanceof Damaged)) throw error;
  }
  return patches.sorted();
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const MOVIE_TYPE = Buffer.from('ftyp', 'latin1');
/** Length of the size field of a movie's first box, and minimum length of that box, in bytes. */
const LENGTH_BYTES = 4;
const MIN_BOX_BYTES = 12;

/**
 * Finds coordinates in a JPEG and in the data that phones append to it: further images that have their own metadata
 * (MPF, gain maps), and the video of a motion photo.
 */
async function findAllInJpeg(cursor: Cursor, patches: PatchList): Promise<void> {
  while (await cursor.forward.reaches(MIN_BOX_BYTES)) {
    const { forward } = cursor;
    const ahead = forward.ahead();
    const bytes = Buffer.from(ahead.buffer, ahead.byteOffset, ahead.length);
    const jpeg = bytes.indexOf(JPEG_START);
    const movie = indexOfMovie(bytes);
    if (movie >= 0 && (jpeg < 0 || movie < jpeg)) {
      await findInMovie(cursor, forward.position + movie - LENGTH_BYTES, patches);
      return;
    }
    forward.skip(jpeg >= 0 ? jpeg : bytes.length - MIN_BOX_BYTES + 1);
    const scan = jpeg >= 0 ? await findInJpeg(cursor, patches) : null;
    if (scan !== null) cursor.returnTo(scan);
  }
}

/** Returns the index at which a movie begins. Its first box is short, unlike the data of a scan before it. */
function indexOfMovie(bytes: Buffer): number {
  for (let at = bytes.indexOf(MOVIE_TYPE); at >= 0; at = bytes.indexOf(MOVIE_TYPE, at + 1)) {
    if (at >= LENGTH_BYTES && bytes.readUInt16BE(at - LENGTH_BYTES) === 0) return at;
  }
  return -1;
}
