import { EOI, jpegParts, SEGMENT_HEADER } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { isBlock, mayContainLocation, stripSegment } from './jpeg-segment.ts';
import type { PatchList } from './patch-list.ts';

/** In segments before, between and after scans. Leaves the cursor at the end marker. */
export async function findInJpeg(cursor: Cursor, patches: PatchList): Promise<void> {
  const { forward } = cursor;
  for await (const { code, length } of cursor.parts(jpegParts(forward))) {
    if (code === EOI) return;
    if (code === null || !mayContainLocation(code)) continue;
    if (!(await forward.reaches(SEGMENT_HEADER + length))) return;
    const before = forward.bytes(length, SEGMENT_HEADER);
    if (isBlock(code, before)) cursor.countBlock();
    const after = new Uint8Array(before);
    const outcome = stripSegment(code, after);
    const at = forward.position + SEGMENT_HEADER;
    // Decoders skip a segment whose content doesn't begin with a name that they know.
    if (outcome === 'drop') patches.fill(at, length);
    if (outcome === 'changed') patches.replace(at, before, after);
  }
}
