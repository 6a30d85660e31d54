import { colorTableLength, GIF_HEADER, gifBlocks } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import type { PatchList } from './patch-list.ts';
import { MAX_XMP_LENGTH, stripXmp } from './xmp.ts';

const APPLICATION = 0xff;
const SPACE = 0x20;

/** The start of the XMP application extension: its length, identifier and code. */
const XMP = Buffer.from('\x0bXMP DataXMP', 'latin1');
/**
 * Length of the trailer after XMP. A reader that takes XMP for data blocks reaches this trailer, in which every byte
 * leads to the end (XMP part 3, 1.1.2).
 */
const XMP_TRAILER_LENGTH = 257;

/** Finds coordinates in the XMP of a GIF (GIF89a, section 26, application extensions). */
export async function findInGif(cursor: Cursor, patches: PatchList): Promise<void> {
  const { forward } = cursor;
  await forward.fill(GIF_HEADER);
  forward.skip(GIF_HEADER + colorTableLength(forward.byte(10)));
  for await (const block of cursor.parts(gifBlocks(forward))) {
    if (block.kind === 'extension' && block.label === APPLICATION) await strip(cursor, block.start, block.end, patches);
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
