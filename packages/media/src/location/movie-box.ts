import { BOX_HEADER, type Box, boxAt } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import type { PatchList } from './patch-list.ts';

const TYPE_OFFSET = 4;
/** A box type that every reader skips (ISO/IEC 14496-12, section 8.1.2). */
const FREE = Buffer.from('free', 'latin1');

/**
 * Iterates the boxes in a range as ffmpeg and exiftool do, which read coordinates even from damaged metadata: a box that
 * claims to extend past the range ends with it, and a box that claims to be smaller than its header ends the iteration.
 */
export async function* boxesIn(cursor: Cursor, start: number, end: number): AsyncGenerator<Box> {
  let offset = start;
  while (offset + BOX_HEADER <= end) {
    await cursor.nextPiece();
    const box = await boxAt(cursor.reader, offset, end);
    if (box === null) return;
    yield { ...box, start: Math.min(box.start, end), end: Math.min(box.end, end) };
    offset = box.end;
  }
}

export const renameToFree = ({ from }: Box, patches: PatchList): void => patches.write(from + TYPE_OFFSET, FREE);

/** Turns a box into free space, filled with zeros. */
export function dropBox(box: Box, patches: PatchList): void {
  renameToFree(box, patches);
  patches.fill(box.start, box.end - box.start);
}
