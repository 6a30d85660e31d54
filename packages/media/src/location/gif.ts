import type { Cursor } from './cursor.ts';
import type { PatchList } from './patch-list.ts';
import { MAX_XMP_LENGTH, stripXmp } from './xmp.ts';

const HEADER_LENGTH = 13;
const HAS_COLOR_TABLE = 0x80;
const COLOR_TABLE_SIZE = 0x07;
const [EXTENSION, IMAGE, APPLICATION] = [0x21, 0x2c, 0xff];
const DESCRIPTOR_LENGTH = 10;
const SPACE = 0x20;

/** The beginning of the XMP application extension: its length, identifier and code. */
const XMP = Buffer.from('\x0bXMP DataXMP', 'latin1');
/**
 * The length of the bytes after an XMP packet. A reader that takes the packet for sub-blocks, and any of its bytes for
 * a length, is led by them to the end (XMP part 3, 1.1.2).
 */
const XMP_TRAILER_LENGTH = 257;

const colorTable = (flags: number): number => (flags & HAS_COLOR_TABLE ? 3 * (2 << (flags & COLOR_TABLE_SIZE)) : 0);

/** Finds coordinates in the XMP of a GIF (GIF89a, section 26, application extensions). */
export async function findInGif(cursor: Cursor, patches: PatchList): Promise<void> {
  const [flags = 0] = await cursor.reader.read(HEADER_LENGTH - 3, 1);
  for (let at = HEADER_LENGTH + colorTable(flags); at + 2 <= cursor.size; ) {
    await cursor.next();
    const [block, label] = await cursor.reader.read(at, 2);
    if (block === IMAGE) {
      const [own = 0] = await cursor.reader.read(at + DESCRIPTOR_LENGTH - 1, 1);
      // Includes the byte with the minimum code size.
      at = await endOfBlocks(cursor, at + DESCRIPTOR_LENGTH + colorTable(own) + 1);
    } else if (block === EXTENSION) {
      const end = await endOfBlocks(cursor, at + 2);
      if (label === APPLICATION) await strip(cursor, at + 2, end, patches);
      at = end;
    } else {
      return;
    }
  }
}

async function strip(cursor: Cursor, start: number, end: number, patches: PatchList): Promise<void> {
  const at = start + XMP.length;
  const length = end - XMP_TRAILER_LENGTH - at;
  if (length <= 0 || !XMP.equals(await cursor.reader.read(start, XMP.length))) return;
  if (length > MAX_XMP_LENGTH) {
    patches.fill(start + 1, end - XMP_TRAILER_LENGTH - start - 1, SPACE);
    return;
  }
  const before = await cursor.block(at, length);
  const after = new Uint8Array(before);
  const outcome = stripXmp(after);
  if (outcome === 'drop') after.fill(SPACE);
  if (outcome !== 'untouched') patches.replace(at, before, after);
}

/** The offset after the block of length 0 that ends a series of sub-blocks; the end of the file if there is none. */
async function endOfBlocks(cursor: Cursor, start: number): Promise<number> {
  for (let at = start; at < cursor.size; ) {
    await cursor.next();
    const bytes = await cursor.reader.readAhead(at, 1);
    let behind = 0;
    while (behind < bytes.length) {
      const length = bytes[behind] ?? 0;
      behind += 1 + length;
      if (length === 0) return at + behind;
    }
    at += behind;
  }
  return cursor.size;
}
