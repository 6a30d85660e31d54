import { EOI, jpegParts, SEGMENT_HEADER, SOI, SOS } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { isBlock, mayContainLocation, stripSegment } from './jpeg-segment.ts';
import type { PatchList } from './patch-list.ts';

/**
 * Finds coordinates in segments before, between and after scans. Leaves the cursor at the end marker.
 *
 * @returns where the data of the last scan begins if no end marker follows it; otherwise null
 */
export async function findInJpeg(cursor: Cursor, patches: PatchList): Promise<number | null> {
  const { forward } = cursor;
  let scan: number | null = null;
  for await (const { code, length } of cursor.parts(jpegParts(forward))) {
    if (code === EOI) return null;
    // This marker can't occur in an image, so it belongs to data that a phone appended after the scan.
    if (scan !== null && code !== null && (code < 0xc0 || code === SOI)) return scan;
    if (code === SOS) scan = forward.position + SEGMENT_HEADER + length;
    if (code === null || !mayContainLocation(code)) continue;
    if (!(await forward.reaches(SEGMENT_HEADER + length))) return scan;
    const before = forward.bytes(length, SEGMENT_HEADER);
    if (isBlock(code, before)) cursor.countBlock();
    const after = new Uint8Array(before);
    const outcome = stripSegment(code, after);
    const at = forward.position + SEGMENT_HEADER;
    // Decoders skip a segment whose content doesn't start with a name that they know, so the content is overwritten.
    if (outcome === 'drop') patches.fill(at, length);
    if (outcome === 'changed') patches.replace(at, before, after);
  }
  return scan;
}
