import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import type { ImageHeaders } from './dimensions.ts';

const HEADER_LENGTH = 13;
const HAS_COLOR_TABLE = 0x80;
const COLOR_TABLE_SIZE = 0x07;
const EXTENSION = 0x21;
const IMAGE = 0x2c;

/**
 * Header and logical screen descriptor of a GIF. Throws `Unreadable` unless a block that may stand there follows them and
 * the colour table (GIF89a, section 17 and 18): the signature and any four bytes would make a GIF otherwise.
 */
export async function gifHeaders(reader: BoundedReader): Promise<ImageHeaders> {
  const image = (await reader.read(0, HEADER_LENGTH)).slice();
  const flags = image[10] ?? 0;
  const colors = flags & HAS_COLOR_TABLE ? 2 << (flags & COLOR_TABLE_SIZE) : 0;
  const [block] = await reader.read(HEADER_LENGTH + 3 * colors, 1);
  if (block !== EXTENSION && block !== IMAGE) throw new Unreadable('The GIF has no image.');
  return { image };
}
