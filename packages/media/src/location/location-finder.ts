import type { ByteSource, LocationFinder, MediaType, Patch } from '@postshelf/domain';
import { Damaged, Unreadable } from '@postshelf/domain/formats';
import pLimit from 'p-limit';
import { Cursor } from './cursor.ts';
import { findInGif } from './gif.ts';
import { findInJpeg } from './jpeg.ts';
import { findInMovie } from './movie.ts';
import { BeyondBounds, PatchList } from './patch-list.ts';
import { findInPng } from './png.ts';
import { findBehindJpeg } from './trailer.ts';
import { findInWebp } from './webp.ts';

const CONCURRENCY = 2;

type Find = (cursor: Cursor, patches: PatchList) => Promise<void>;

const findAllInJpeg: Find = async (cursor, patches) => {
  const scan = await findInJpeg(cursor, patches);
  if (scan !== null) cursor.returnTo(scan);
  await findBehindJpeg(cursor, patches);
};
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
    // No other program can read the file from here on either.
    if (!(error instanceof Unreadable || error instanceof Damaged)) throw error;
  }
  return patches.sorted();
}
