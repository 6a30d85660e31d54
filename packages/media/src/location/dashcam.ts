import type { Box } from '@postshelf/domain/formats';
import { viewOf } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { dropBox } from './movie-box.ts';
import { BeyondBounds, type PatchList } from './patch-list.ts';

const HEAD_LENGTH = 8;
const ENTRY_LENGTH = 8;
/** Maximum number of blocks: at one a second these are hours of video. */
const MAX_BLOCKS = 50_000;

/** The start of a block, after its length: each block is itself a box of free space. */
const BLOCK = Buffer.from('freeGPS ', 'latin1');
const BLOCK_HEAD_LENGTH = 4 + BLOCK.length;

/** Clears the positions that many dashcams write among the media data, and list in the box `gps `. */
export async function dropDashcamBlocks(cursor: Cursor, box: Box, patches: PatchList): Promise<void> {
  const length = box.end - box.start;
  if (length > HEAD_LENGTH + ENTRY_LENGTH * MAX_BLOCKS) throw new BeyondBounds('Too many blocks of positions.');
  const view = viewOf(await cursor.copy(box.start, length));
  for (let entry = HEAD_LENGTH; entry + ENTRY_LENGTH <= length; entry += ENTRY_LENGTH) {
    await cursor.next();
    const [at, size] = [view.getUint32(entry), view.getUint32(entry + 4)];
    if (size <= BLOCK_HEAD_LENGTH || at + size > cursor.size) continue;
    const head = await cursor.reader.read(at + 4, BLOCK.length);
    if (BLOCK.equals(head)) patches.fill(at + BLOCK_HEAD_LENGTH, size - BLOCK_HEAD_LENGTH);
  }
  dropBox(box, patches);
}
