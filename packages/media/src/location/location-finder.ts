import type { ByteSource, LocationFinder, MediaType, Patch } from '@postshelf/domain';
import pLimit from 'p-limit';
import { BoundedReader, Unreadable } from '../inspect/bounded-reader.ts';
import { Cursor } from './cursor.ts';
import { findInGif } from './gif.ts';
import { findInJpeg } from './jpeg.ts';
import { findInMovie } from './movie.ts';
import { BeyondBounds, PatchList } from './patch-list.ts';
import { findInPng } from './png.ts';
import { findBehindJpeg } from './trailer.ts';
import { findInWebp } from './webp.ts';

/** Files that are searched concurrently. Each takes some megabytes. */
const CONCURRENCY = 2;

const MIB = 1024 * 1024;

type Find = (cursor: Cursor, patches: PatchList) => Promise<void>;

const findAllInJpeg: Find = async (cursor, patches) =>
  findBehindJpeg(cursor, await findInJpeg(cursor, 0, patches), patches);
const findAllInMovie: Find = (cursor, patches) => findInMovie(cursor, 0, patches);

/** An image is read to its end, in pieces large enough for a bucket; of a movie small parts are read here and there. */
const FINDS: Readonly<Record<MediaType, { readonly find: Find; readonly window: number }>> = {
  'image/jpeg': { find: findAllInJpeg, window: MIB / 2 },
  'image/png': { find: findInPng, window: MIB },
  'image/gif': { find: findInGif, window: MIB },
  'image/webp': { find: findInWebp, window: MIB / 16 },
  'video/mp4': { find: findAllInMovie, window: MIB / 16 },
  'video/quicktime': { find: findAllInMovie, window: MIB / 16 },
};

/** Finds coordinates in metadata; memory and work per turn of the event loop are bounded, whatever the bytes are. */
export function createLocationFinder(): LocationFinder {
  const limit = pLimit(CONCURRENCY);
  return { find: (type, source) => limit(find, type, source) };
}

async function find(type: MediaType, source: ByteSource): Promise<readonly Patch[] | null> {
  const { find, window } = FINDS[type];
  const patches = new PatchList();
  const budget = 4 * source.size + 64 * MIB;
  try {
    await find(new Cursor(new BoundedReader(source, { budget, window })), patches);
  } catch (error) {
    if (error instanceof BeyondBounds) return null;
    // From here on no other program can read the file, either.
    if (!(error instanceof Unreadable)) throw error;
  }
  return patches.sorted();
}
