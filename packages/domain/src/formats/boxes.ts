import type { BoundedReader } from './bounded-reader.ts';
import { Unreadable } from './errors.ts';
import { fourCc, viewOf } from './forward-reader.ts';

/** A box in an ISO base media file (ISO/IEC 14496-12, section 4.2) or a QuickTime file. */
export interface Box {
  readonly type: string;
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

export const BOX_HEADER = 8;
const LONG_BOX_HEADER = 16;
const TO_THE_END = 0;
const LONG_SIZE = 1;

/**
 * Iterates the boxes in a range. Fewer than 8 bytes at the end are padding, as QuickTime defines it. Throws
 * `Unreadable` if a box is smaller than its header.
 */
export async function* boxesBetween(reader: BoundedReader, start: number, end: number): AsyncGenerator<Box> {
  let offset = start;
  while (offset + BOX_HEADER <= end) {
    const box = await boxAt(reader, offset, end);
    if (box === null) throw new Unreadable('A box is smaller than its header.');
    yield box;
    offset = box.end;
  }
}

/**
 * Reads the header of a box; null if the box claims to be smaller than its header. The box may extend beyond `end`, but
 * at least 8 bytes must be available.
 */
export async function boxAt(reader: BoundedReader, from: number, end: number): Promise<Box | null> {
  const header = viewOf(await reader.read(from, BOX_HEADER));
  const type = fourCc(header, 4);
  let headerLength = BOX_HEADER;
  let size = header.getUint32(0);
  if (size === TO_THE_END) size = end - from;
  if (size === LONG_SIZE) {
    if (from + LONG_BOX_HEADER > reader.size) return { type, from, start: from, end: Number.POSITIVE_INFINITY };
    headerLength = LONG_BOX_HEADER;
    size = uint64(viewOf(await reader.read(from, LONG_BOX_HEADER)), BOX_HEADER);
  }
  return size < headerLength ? null : { type, from, start: from + headerLength, end: from + size };
}

/** Reads a 64-bit number; only approximate above 2^53, which no file reaches. */
export const uint64 = (view: DataView, at: number): number => view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);

/** Returns a view of the content. Throws `Unreadable` if there are fewer bytes than `min`. */
export function contentView(bytes: Uint8Array, min = 0): DataView {
  if (bytes.length < min) throw new Unreadable('A box is too short.');
  return viewOf(bytes);
}
