import type { Box } from '@postshelf/domain/formats';
import { Damaged, Unreadable } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { dropDashcamBlocks } from './dashcam.ts';
import { LocationTracks } from './location-tracks.ts';
import { boxesIn } from './movie-box.ts';
import { findInMetadata } from './movie-metadata.ts';
import type { PatchList } from './patch-list.ts';
import type { Range } from './sample-ranges.ts';

export async function findInMovie(cursor: Cursor, start: number, patches: PatchList): Promise<void> {
  const media: Range[] = [];
  const tracks = new LocationTracks(cursor, patches, start);
  await skipIfUnreadable(async () => {
    for await (const box of boxesIn(cursor, start, cursor.size)) {
      if (box.type === 'mdat') media.push({ start: box.start, end: box.end });
      else if (box.type === 'moov') await findInParent(cursor, box, tracks, patches);
      else await skipIfUnreadable(() => findInMetadata(cursor, box, patches));
    }
  });
  tracks.clear(media);
}

async function findInParent(cursor: Cursor, parent: Box, tracks: LocationTracks, patches: PatchList): Promise<void> {
  await skipIfUnreadable(async () => {
    for await (const box of boxesIn(cursor, parent.start, parent.end)) {
      if (box.type === 'trak' && parent.type === 'moov') await findInParent(cursor, box, tracks, patches);
      else if (box.type === 'mdia') await skipIfUnreadable(() => tracks.add(box));
      else if (box.type === 'gps ') await dropDashcamBlocks(cursor, box, patches);
      else await skipIfUnreadable(() => findInMetadata(cursor, box, patches));
    }
  });
}

/** Skips what can't be read here, as no other program can read it either; the boxes next to it are searched. */
async function skipIfUnreadable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof Damaged)) throw error;
  }
}
