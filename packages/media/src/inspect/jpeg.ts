import { EOI, type ForwardReader, jpegParts, readJpegFrame, SOI, Unreadable } from '@postshelf/domain/formats';
import type { WalkedImage } from './dimensions.ts';

/**
 * Walks a JPEG up to its end marker. Skips segments as a whole, because a preview in a segment has an end marker of its
 * own. A scan without an end marker after it means that the file ends early, or that the manufacturer's own data
 * follows, as in panoramas of Samsung's phones.
 */
export async function walkJpeg(reader: ForwardReader): Promise<WalkedImage> {
  await reader.fill(3);
  if (reader.uint16() !== 0xff00 + SOI || reader.byte(2) !== 0xff) throw new Unreadable('The file is not a JPEG.');
  const parts = jpegParts(reader);
  const frame = await readJpegFrame(parts, reader);
  return { ...frame, hasEnd: await hasEnd(parts, reader), details: { frames: 1, hasAlpha: false } };
}

async function hasEnd(parts: ReturnType<typeof jpegParts>, reader: ForwardReader): Promise<boolean> {
  for (const part of parts) {
    if (typeof part === 'number') {
      if (await reader.reaches(part)) continue;
      return false;
    }
    if (part.code === EOI) return true;
    // These markers can't be inside an image, so the image has ended without an end marker. Markers of further frames
    // are allowed, because a hierarchical JPEG has several.
    if (part.code !== null && (part.code < 0xc0 || part.code === SOI)) return false;
  }
  return false;
}
