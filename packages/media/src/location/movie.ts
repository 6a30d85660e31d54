import { type Box, Damaged, Unreadable, viewOf } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { LocationTracks } from './location-tracks.ts';
import { boxesIn, dropBox } from './movie-box.ts';
import { findInMetadata } from './movie-metadata.ts';
import { BeyondBounds, type PatchList } from './patch-list.ts';
import type { Range } from './sample-ranges.ts';

export async function findInMovie(cursor: Cursor, start: number, patches: PatchList): Promise<void> {
  const media: Range[] = [];
  const tracks = new LocationTracks(cursor, patches, start);
  for await (const box of boxesIn(cursor, start, cursor.size)) {
    if (box.type === 'mdat') media.push({ start: box.start, end: box.end });
    else if (box.type === 'moov') await findInParent(cursor, box, tracks, patches);
    else await findInMetadata(cursor, box, patches);
  }
  tracks.clear(media);
}

async function findInParent(cursor: Cursor, parent: Box, tracks: LocationTracks, patches: PatchList): Promise<void> {
  for await (const box of boxesIn(cursor, parent.start, parent.end)) {
    if (box.type === 'trak' && parent.type === 'moov') await findInParent(cursor, box, tracks, patches);
    else if (box.type === 'mdia') await addTrack(tracks, box);
    else if (box.type === 'gps ') await dropDashcamBlocks(cursor, box, patches);
    else await findInMetadata(cursor, box, patches);
  }
}

/** Skips a track whose tables can't be read, because no other program can find its samples either. */
async function addTrack(tracks: LocationTracks, media: Box): Promise<void> {
  try {
    await tracks.add(media);
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof Damaged)) throw error;
  }
}

const HEAD_LENGTH = 8;
const ENTRY_LENGTH = 8;
/** Maximum number of blocks. At one block per second they cover hours of video. */
const MAX_BLOCKS = 50_000;

/** The start of a block, after its length. Each block is itself a box of free space. */
const BLOCK = Buffer.from('freeGPS ', 'latin1');
const BLOCK_HEAD_LENGTH = 4 + BLOCK.length;

/**
 * Clears the blocks of positions that many dashcams write among the media data, and drops the box `gps `, which lists
 * them.
 */
async function dropDashcamBlocks(cursor: Cursor, box: Box, patches: PatchList): Promise<void> {
  const length = box.end - box.start;
  if (length > HEAD_LENGTH + ENTRY_LENGTH * MAX_BLOCKS) throw new BeyondBounds('Too many blocks of positions.');
  const view = viewOf(await cursor.copy(box.start, length));
  for (let entry = HEAD_LENGTH; entry + ENTRY_LENGTH <= length; entry += ENTRY_LENGTH) {
    await cursor.nextPiece();
    const [at, size] = [view.getUint32(entry), view.getUint32(entry + 4)];
    if (size <= BLOCK_HEAD_LENGTH || at + size > cursor.size) continue;
    const head = await cursor.reader.read(at + 4, BLOCK.length);
    if (BLOCK.equals(head)) patches.fill(at + BLOCK_HEAD_LENGTH, size - BLOCK_HEAD_LENGTH);
  }
  dropBox(box, patches);
}
