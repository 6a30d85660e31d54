import { type Box, boxesBetween, Unreadable } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import type { PatchList } from './patch-list.ts';

const TYPE_OFFSET = 4;
/** A box type that every reader skips (ISO/IEC 14496-12, section 8.1.2). */
const FREE = Buffer.from('free', 'latin1');

export async function* boxesIn(cursor: Cursor, start: number, end: number): AsyncGenerator<Box> {
  for await (const box of boxesBetween(cursor.reader, start, end)) {
    await cursor.next();
    if (box.end > end) throw new Unreadable('A box extends past the end of its parent.');
    yield box;
  }
}

export const renameToFree = ({ from }: Box, patches: PatchList): void => patches.write(from + TYPE_OFFSET, FREE);

/** Turns a box into free space, filled with zeros. */
export function dropBox(box: Box, patches: PatchList): void {
  renameToFree(box, patches);
  patches.fill(box.start, box.end - box.start);
}
