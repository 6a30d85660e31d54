import { Damaged, Unreadable } from './bounded-reader.ts';
import type { WalkedImage } from './dimensions.ts';
import type { ForwardReader } from './forward-reader.ts';

const HEADER_LENGTH = 13;
const HAS_COLOR_TABLE = 0x80;
const COLOR_TABLE_SIZE = 0x07;

/** The first byte of each kind of block (GIF89a, appendix A). */
const [EXTENSION, IMAGE, TRAILER, FILLING] = [0x21, 0x2c, 0x3b, 0];

/** Introducer and label of an extension. */
const EXTENSION_LENGTH = 2;
const GRAPHIC_CONTROL = 0xf9;
/** Introducer, label, length and flags of a graphic control extension, one of which says that a colour is transparent. */
const GRAPHIC_CONTROL_LENGTH = 4;
const HAS_TRANSPARENT_COLOR = 0x01;
/** Introducer, place, size and flags. After it and its colour table comes the code size of the data, one byte. */
const IMAGE_LENGTH = 10;

/** Most images, extensions and zeros between them: enough for a day at 10 pictures a second. */
const MAX_BLOCKS = 2_000_000;

/**
 * Walks a GIF up to its trailer. The header and its colour table must be followed by a valid block (GIF89a, sections 17
 * and 18): otherwise the signature and any four bytes would make a GIF. Some programs write zeros between blocks, which
 * every decoder skips.
 */
export async function walkGif(reader: ForwardReader): Promise<WalkedImage> {
  if (!(await reader.reaches(HEADER_LENGTH))) throw new Unreadable('The GIF has no header.');
  const image = reader.bytes(HEADER_LENGTH).slice();
  reader.skip(HEADER_LENGTH + colorTableLength(reader.byte(10)));
  let [frames, hasAlpha, isInData] = [0, false, false];
  for (let blocks = 0; blocks <= MAX_BLOCKS; ) {
    if (!reader.has(1)) await reader.fill(1);
    if (isInData) {
      isInData = !skipSubBlocks(reader);
      continue;
    }
    const block = reader.byte();
    if (block === TRAILER && frames > 0) return { image, details: { frames, hasAlpha } };
    if (block === IMAGE) {
      if (!reader.has(IMAGE_LENGTH)) await reader.fill(IMAGE_LENGTH);
      frames += 1;
      reader.skip(IMAGE_LENGTH + colorTableLength(reader.byte(9)) + 1);
    } else if (block === EXTENSION) {
      if (!reader.has(GRAPHIC_CONTROL_LENGTH)) await reader.fill(GRAPHIC_CONTROL_LENGTH);
      const hasFlags = reader.byte(1) === GRAPHIC_CONTROL && reader.byte(2) > 0;
      hasAlpha ||= hasFlags && (reader.byte(3) & HAS_TRANSPARENT_COLOR) !== 0;
      reader.skip(EXTENSION_LENGTH);
    } else if (block === FILLING && blocks > 0) {
      reader.skip(1);
    } else {
      throw blocks === 0 ? new Unreadable('The GIF has no image.') : new Damaged('Something stands between blocks.');
    }
    blocks += 1;
    isInData = block !== FILLING;
  }
  throw new Unreadable('The GIF has too many blocks.');
}

const colorTableLength = (flags: number): number =>
  flags & HAS_COLOR_TABLE ? 3 * (2 << (flags & COLOR_TABLE_SIZE)) : 0;

/** Skips the buffered data sub-blocks, and returns whether the last one was among them (GIF89a, sections 15 and 16). */
function skipSubBlocks(reader: ForwardReader): boolean {
  const bytes = reader.ahead();
  let at = 0;
  let isOver = false;
  while (at < bytes.length && !isOver) {
    const length = bytes[at] ?? 0;
    isOver = length === 0;
    at += 1 + length;
  }
  reader.skip(at);
  return isOver;
}
