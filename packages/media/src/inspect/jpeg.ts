import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import type { ImageHeaders } from './dimensions.ts';

/** Codes of markers, behind 0xff (ITU-T T.81, table B.1). */
const [SOI, EOI, SOS, TEM, RST0, APP1] = [0xd8, 0xd9, 0xda, 0x01, 0xd0, 0xe1];
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

/** Bytes of a frame header with 1 to 4 components, its length field not counted (ITU-T T.81, B.2.2). */
const FRAME_LENGTHS = new Set([9, 12, 15, 18]);

/** What a frame header begins with: precision, height, width. */
const SIZE_LENGTH = 5;

/** The first marker, and the beginning of the next. */
const START = Buffer.from([0xff, SOI, 0xff]);
const EXIF = Buffer.from('Exif\0\0', 'latin1');

/**
 * The segments of a JPEG that say how it is displayed, as a JPEG of their own: the last EXIF block before the frame header,
 * and the beginning of that. Looks for markers past any garbage, as decoders do, so a frame header must have one of the
 * lengths that a true one can have: in enough garbage something looks like one.
 */
export async function jpegHeaders(reader: BoundedReader): Promise<ImageHeaders> {
  if (!START.equals(await reader.read(0, START.length))) throw new Unreadable('The file is no JPEG.');
  let exif: Uint8Array = new Uint8Array();
  for (let offset = 2; ; ) {
    const { code, end } = await nextMarker(reader, offset);
    offset = end;
    if (code === EOI || code === SOS) throw new Unreadable('The JPEG has no frame header.');
    if (code === TEM || (code >= RST0 && code <= SOI)) continue;
    if (code < 0xc0) throw new Unreadable('The JPEG has a marker that does not exist.');
    const length = Buffer.from(await reader.read(offset, 2)).readUInt16BE() - 2;
    if (length < 0) throw new Unreadable('A segment is smaller than its length.');
    const start = offset + 2;
    if (code < 0xd0 && !NO_FRAMES.has(code) && length >= SIZE_LENGTH) {
      if (!FRAME_LENGTHS.has(length)) throw new Unreadable('The JPEG has no frame header.');
      const size = await reader.read(start, SIZE_LENGTH);
      return { image: Buffer.concat([START.subarray(0, 2), exif, segment(code, length, size)]) };
    }
    if (code === APP1 && length >= EXIF.length + 4 && EXIF.equals(await reader.read(start, EXIF.length))) {
      exif = segment(APP1, length, await reader.read(start, length));
    }
    offset = start + length;
  }
}

/** The first marker from the offset: its code, and where it ends. Any number of 0xff may stand before the code. */
async function nextMarker(
  reader: BoundedReader,
  from: number,
): Promise<{ readonly code: number; readonly end: number }> {
  let isMarker = false;
  for (let offset = from; ; ) {
    const bytes = await reader.readAhead(offset);
    const at = isMarker ? bytes.findIndex((byte) => byte !== 0xff) : bytes.indexOf(0xff);
    if (isMarker && at >= 0) return { code: bytes[at] ?? 0, end: offset + at + 1 };
    if (at >= 0) isMarker = true;
    offset += at >= 0 ? at + 1 : bytes.length;
  }
}

const segment = (code: number, length: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from([0xff, code, (length + 2) >> 8, (length + 2) & 0xff]), content]);
