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

/** Marker and length of a segment. */
const HEADER_LENGTH = 4;

/**
 * The segments of a JPEG that say how it is displayed, as a JPEG of their own: the last EXIF block before the frame header,
 * and the beginning of that. Looks for markers past any garbage, as decoders do, so a frame header must have one of the
 * lengths that a true one can have: in enough garbage something looks like one.
 */
export async function jpegHeaders(reader: BoundedReader): Promise<ImageHeaders> {
  if (!START.equals(await reader.read(0, START.length))) throw new Unreadable('The file is no JPEG.');
  let exif: Uint8Array = new Uint8Array();
  for (let offset = 2; ; ) {
    const { found, end } = nextSegment(await reader.readAhead(offset, HEADER_LENGTH));
    offset += end;
    if (found === null) continue;
    const { code, length } = found;
    if (code !== APP1) {
      if (!FRAME_LENGTHS.has(length)) throw new Unreadable('The JPEG has no frame header.');
      const size = await reader.read(offset, SIZE_LENGTH);
      return { image: Buffer.concat([START.subarray(0, 2), exif, segment(code, length, size)]) };
    }
    if (EXIF.equals(await reader.read(offset, EXIF.length))) {
      exif = segment(APP1, length, await reader.read(offset, length));
    }
    offset += length;
  }
}

/**
 * The first segment in the bytes that may be an EXIF block or a frame header, and where its content begins; null when
 * there is none, and where to look on. At once for all the bytes, as a file may consist of markers.
 */
function nextSegment(bytes: Uint8Array): { readonly found: Segment | null; readonly end: number } {
  for (let at = 0; ; ) {
    const marker = bytes[at] === 0xff ? at : bytes.indexOf(0xff, at);
    if (marker < 0) return { found: null, end: bytes.length };
    // Any number of 0xff may stand before the code.
    let codeAt = marker + 1;
    while (bytes[codeAt] === 0xff) codeAt += 1;
    const [code, high, low] = [bytes[codeAt], bytes[codeAt + 1], bytes[codeAt + 2]];
    if (code === undefined || high === undefined || low === undefined) return { found: null, end: codeAt - 1 };
    if (code === TEM || (code >= RST0 && code <= SOI)) {
      at = codeAt + 1;
      continue;
    }
    if (code < 0xc0 || code === EOI || code === SOS) throw new Unreadable('The JPEG has no frame header.');
    const length = high * 256 + low - 2;
    if (length < 0) throw new Unreadable('A segment is smaller than its length.');
    const isFrame = code < 0xd0 && !NO_FRAMES.has(code) && length >= SIZE_LENGTH;
    if (isFrame || (code === APP1 && length >= EXIF.length + 4)) return { found: { code, length }, end: codeAt + 3 };
    at = codeAt + 3 + length;
    if (at >= bytes.length) return { found: null, end: at };
  }
}

interface Segment {
  readonly code: number;
  /** Bytes of its content. */
  readonly length: number;
}

const segment = (code: number, length: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from([0xff, code, (length + 2) >> 8, (length + 2) & 0xff]), content]);
