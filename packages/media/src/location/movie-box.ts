import { Unreadable } from '../inspect/bounded-reader.ts';
import { type Box, boxesBetween } from '../inspect/boxes.ts';
import type { Cursor } from './cursor.ts';
import type { PatchList } from './patch-list.ts';

/** A box, with the offset of its header. */
export interface PlacedBox extends Box {
  readonly at: number;
}

const TYPE_OFFSET = 4;
/** A box type that every reader skips (ISO/IEC 14496-12, section 8.1.2). */
const FREE = Buffer.from('free', 'latin1');

/** The boxes between two offsets. Throws `Unreadable` when one reaches past the end. */
export async function* boxesIn(cursor: Cursor, start: number, end: number): AsyncGenerator<PlacedBox> {
  let at = start;
  for await (const box of boxesBetween(cursor.reader, start, end)) {
    await cursor.next();
    if (box.end > end) throw new Unreadable('A box reaches past the one that holds it.');
    yield { ...box, at };
    at = box.end;
  }
}

/** Gives a box a type that readers skip. */
export const renameToFree = ({ at }: PlacedBox, patches: PatchList): void => patches.write(at + TYPE_OFFSET, FREE);

/** Turns a box into free space, filled with zeros. */
export function dropBox(box: PlacedBox, patches: PatchList): void {
  renameToFree(box, patches);
  patches.fill(box.start, box.end - box.start);
}
