import { Damaged, Unreadable } from './bounded-reader.ts';
import type { WalkedImage } from './dimensions.ts';
import type { ForwardReader } from './forward-reader.ts';

/** Codes of markers, after 0xff (ITU-T T.81, table B.1). */
const [SOI, EOI, SOS, TEM, RST0, RST7, APP1] = [0xd8, 0xd9, 0xda, 0x01, 0xd0, 0xd7, 0xe1];
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

/** Lengths of a frame header with 1 to 4 components, without its length field (ITU-T T.81, B.2.2). */
const FRAME_LENGTHS = new Set([9, 12, 15, 18]);

/** The beginning of a frame header: precision, height, width. */
const SIZE_LENGTH = 5;

/** The first marker, and the first byte of the next. */
const START = Buffer.from([0xff, SOI, 0xff]);
const EXIF = Buffer.from('Exif\0\0', 'latin1');

const MARKER_LENGTH = 2;
/** Marker and length of a segment. */
const HEADER_LENGTH = 4;

/**
 * Most bytes before the frame header: camera files have megabytes of profiles and previews there, but fewer than this.
 */
const MAX_BEFORE_FRAME = 32 * 1024 * 1024;

/**
 * Walks a JPEG up to its end marker, past scans and all segments, since a preview in a segment has an end marker of its
 * own. How it is displayed is determined by the last EXIF block before the frame header, and by the beginning of that
 * header. Searches for markers past garbage, as decoders do, so a frame header must have a length that is possible: in
 * enough garbage some bytes look like one.
 */
export async function walkJpeg(reader: ForwardReader): Promise<WalkedImage> {
  await reader.fill(START.length);
  if (!START.equals(reader.bytes(START.length))) throw new Unreadable('The file is no JPEG.');
  reader.skip(MARKER_LENGTH);
  const image = await readHeaders(reader);
  let scans = 0;
  for (;;) {
    const code = toMarker(reader);
    if (code === EOI) break;
    if (code === null) {
      await reader.fill(MARKER_LENGTH);
      continue;
    }
    // A hierarchical JPEG has several frames inside one image, but a start marker is never inside an image.
    if (code < 0xc0 || code === SOI) throw new Damaged('A marker is where none may be.');
    if (code === SOS) scans += 1;
    if (!reader.has(HEADER_LENGTH)) await reader.fill(HEADER_LENGTH);
    skipSegment(reader);
  }
  if (scans === 0) throw new Damaged('The JPEG has no scan.');
  return { image, details: { frames: 1, hasAlpha: false } };
}

/** The segments up to the frame header that determine how the image is displayed, as a JPEG of their own. */
async function readHeaders(reader: ForwardReader): Promise<Uint8Array> {
  let exif: Uint8Array = new Uint8Array();
  let hasGarbage = false;
  try {
    while (reader.position < MAX_BEFORE_FRAME) {
      hasGarbage ||= reader.has(1) && reader.byte() !== 0xff;
      const code = toMarker(reader);
      if (code === null) {
        await reader.fill(MARKER_LENGTH);
        continue;
      }
      if (code === SOI) {
        reader.skip(MARKER_LENGTH);
        continue;
      }
      if (code < 0xc0 || code === EOI || code === SOS) break;
      if (!reader.has(HEADER_LENGTH)) await reader.fill(HEADER_LENGTH);
      const length = reader.uint16(MARKER_LENGTH) - 2;
      if (code < 0xd0 && !NO_FRAMES.has(code) && length >= SIZE_LENGTH) {
        if (!FRAME_LENGTHS.has(length)) break;
        if (!reader.has(HEADER_LENGTH + SIZE_LENGTH)) await reader.fill(HEADER_LENGTH + SIZE_LENGTH);
        const frame = reader.bytes(HEADER_LENGTH + SIZE_LENGTH);
        return Buffer.concat([START.subarray(0, MARKER_LENGTH), exif, frame]);
      }
      if (code === APP1 && length >= EXIF.length + 4) exif = (await readExif(reader, length)) ?? exif;
      skipSegment(reader);
    }
  } catch (error) {
    // After garbage, a truncated JPEG is taken for a file that never was one.
    if (!(error instanceof Damaged && hasGarbage)) throw error;
  }
  throw new Unreadable('The JPEG has no frame header.');
}

/** The segment at the position, if it is an EXIF block. */
async function readExif(reader: ForwardReader, length: number): Promise<Uint8Array | null> {
  if (!reader.has(HEADER_LENGTH + EXIF.length)) await reader.fill(HEADER_LENGTH + EXIF.length);
  if (!EXIF.equals(reader.bytes(EXIF.length, HEADER_LENGTH))) return null;
  if (!reader.has(HEADER_LENGTH + length)) await reader.fill(HEADER_LENGTH + length);
  return reader.bytes(HEADER_LENGTH + length).slice();
}

/** Skips the segment whose header is buffered. Decoders treat one with a length below the minimum as empty. */
function skipSegment(reader: ForwardReader): void {
  reader.skip(MARKER_LENGTH + Math.max(2, reader.uint16(MARKER_LENGTH)));
}

/**
 * Moves to the next buffered marker that begins or ends something, and returns its code. Returns null if there is none:
 * the position is then the last byte, which may be the beginning of one.
 */
function toMarker(reader: ForwardReader): number | null {
  if (!reader.has(MARKER_LENGTH)) return null;
  if (reader.byte() !== 0xff || hasNoLength(reader.byte(1))) {
    const bytes = reader.ahead();
    const at = indexOfMarker(bytes);
    reader.skip(at);
    return bytes[at + 1] ?? null;
  }
  return reader.byte(1);
}

/**
 * After a 0xff so many bytes are compared one by one, as the next 0xff is often near, and starting a search costs as
 * much.
 */
const NEAR = 8;

/**
 * The offset of the next marker that begins or ends something; if there is none, that of the last byte, which may be
 * the beginning of one.
 */
function indexOfMarker(bytes: Uint8Array): number {
  const last = bytes.length - 1;
  for (let at = 0; at < last; ) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return last;
    for (const near = Math.min(at + NEAR, last); at < near; at += 1) {
      if (bytes[at] === 0xff && !hasNoLength(bytes[at + 1] ?? 0)) return at;
    }
  }
  return last;
}

/**
 * Whether 0xff and this code don't begin or end anything: a zero, which makes the 0xff data, another 0xff, a restart or
 * a temporary marker (ITU-T T.81, B.1.1).
 */
const hasNoLength = (code: number): boolean =>
  code === 0 || code === 0xff || code === TEM || (code >= RST0 && code <= RST7);
