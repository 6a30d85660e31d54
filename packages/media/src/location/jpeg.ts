import type { Cursor } from './cursor.ts';
import { EOI, hasNoLength, isBlock, mayContainLocation, SOI, SOS, stripSegment } from './jpeg-segment.ts';
import type { PatchList } from './patch-list.ts';

/**
 * Finds coordinates in the JPEG at an offset: in segments before, between and after its scans. Returns the offset of
 * its end.
 */
export async function findInJpeg(cursor: Cursor, start: number, patches: PatchList): Promise<number> {
  let at = start + 2;
  for (;;) {
    const marker = await nextMarker(cursor, at);
    if (marker === null) return cursor.size;
    const { code, end } = marker;
    if (code === EOI) return end;
    at = end;
    if (hasNoLength(code) || end + 2 > cursor.size) continue;
    const [high = 0, low = 0] = await cursor.reader.read(end, 2);
    const length = high * 256 + low;
    if (length < 2 || end + length > cursor.size) continue;
    if (mayContainLocation(code)) await strip(cursor, code, end + 2, length - 2, patches);
    at = end + length;
    if (code === SOS) at = await endOfScan(cursor, at);
  }
}

async function strip(cursor: Cursor, code: number, at: number, length: number, patches: PatchList): Promise<void> {
  const before = await cursor.reader.read(at, length);
  if (isBlock(code, before)) cursor.countBlock();
  const after = new Uint8Array(before);
  const outcome = stripSegment(code, after);
  // Decoders skip a segment whose content doesn't begin with a name that they know.
  if (outcome === 'drop') patches.fill(at, length);
  if (outcome === 'changed') patches.replace(at, before, after);
}

interface Marker {
  readonly code: number;
  /** The offset after the code. */
  readonly end: number;
}

/** The first marker at or after the offset, skipping other bytes; null if there is none. */
async function nextMarker(cursor: Cursor, from: number): Promise<Marker | null> {
  for (let at = from; at + 2 <= cursor.size; ) {
    await cursor.next();
    const bytes = await cursor.reader.readAhead(at, 2);
    let behind = bytes.length;
    for (let found = bytes.indexOf(0xff); found >= 0; found = bytes.indexOf(0xff, behind)) {
      // Any number of 0xff may precede the code.
      let code = found + 1;
      while (bytes[code] === 0xff) code += 1;
      const value = bytes[code];
      if (value) return { code: value, end: at + code + 1 };
      behind = value === undefined ? code - 1 : code + 1;
      if (value === undefined) break;
    }
    at += behind;
  }
  return null;
}

/** The offset at which the entropy-coded data ends: a marker that is neither a restart nor a stuffed zero. */
async function endOfScan(cursor: Cursor, from: number): Promise<number> {
  for (let at = from; at + 2 <= cursor.size; ) {
    await cursor.next();
    const bytes = await cursor.reader.readAhead(at, 2);
    let marker = bytes.indexOf(0xff);
    while (marker >= 0) {
      const code = bytes[marker + 1];
      if (code === undefined) break;
      if (code !== 0 && code !== 0xff && !hasNoLength(code)) return at + marker;
      if (code === SOI) return at + marker;
      marker = bytes.indexOf(0xff, code === 0xff ? marker + 1 : marker + 2);
    }
    at += marker < 0 ? bytes.length : Math.max(marker, 1);
  }
  return cursor.size;
}
