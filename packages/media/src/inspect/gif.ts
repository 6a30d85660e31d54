import { type BoundedReader, Unreadable } from './bounded-reader.ts';

const HEADER_LENGTH = 13;
const HAS_COLOR_TABLE = 0x80;
const COLOR_TABLE_SIZE = 0x07;
const EXTENSION = 0x21;
const IMAGE = 0x2c;

/**
 * Throws `Unreadable` unless a block that may stand there follows the logical screen descriptor and its colour table
 * (GIF89a, section 17 and 18): the signature and any four bytes would make a GIF otherwise.
 */
export async function checkGifBlocks(reader: BoundedReader): Promise<void> {
  const header = await reader.read(0, HEADER_LENGTH);
  const flags = header[10] ?? 0;
  const colors = flags & HAS_COLOR_TABLE ? 2 << (flags & COLOR_TABLE_SIZE) : 0;
  const [block] = await reader.read(HEADER_LENGTH + 3 * colors, 1);
  if (block !== EXTENSION && block !== IMAGE) throw new Unreadable('The GIF has no image.');
}
