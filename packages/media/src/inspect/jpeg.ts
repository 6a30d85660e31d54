import {
  Damaged,
  EOI,
  type ForwardReader,
  jpegParts,
  readJpegFrame,
  SOI,
  SOS,
  Unreadable,
} from '@postshelf/domain/formats';
import type { WalkedImage } from './dimensions.ts';

/** Up to its end marker, past all segments, since a preview in a segment has an end marker of its own. */
export async function walkJpeg(reader: ForwardReader): Promise<WalkedImage> {
  await reader.fill(3);
  if (reader.uint16() !== 0xff00 + SOI || reader.byte(2) !== 0xff) throw new Unreadable('The file is no JPEG.');
  const parts = jpegParts(reader);
  const frame = await readJpegFrame(parts, reader);
  let scans = 0;
  for (const part of parts) {
    if (typeof part === 'number') {
      await reader.fill(part);
      continue;
    }
    const { code } = part;
    if (code === null) continue;
    if (code === EOI) break;
    // A hierarchical JPEG has several frames, but a start marker is never inside an image.
    if (code < 0xc0 || code === SOI) throw new Damaged('A marker is where none may be.');
    if (code === SOS) scans += 1;
  }
  if (scans === 0) throw new Damaged('The JPEG has no scan.');
  return { ...frame, details: { frames: 1, hasAlpha: false } };
}
