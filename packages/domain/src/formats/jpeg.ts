import { Damaged, Unreadable, Unsupported } from './errors.ts';
import { orientationOf } from './exif.ts';
import type { ForwardReader } from './forward-reader.ts';
import type { ImageFrame } from './image-frame.ts';
import { nextPart, type Walk } from './walk.ts';

/** Marker codes, after 0xff (ITU-T T.81, table B.1). */
export const [SOI, EOI, SOS, APP1] = [0xd8, 0xd9, 0xda, 0xe1];
const [TEM, RST0, RST7] = [0x01, 0xd0, 0xd7];

export const SEGMENT_HEADER = 4;
const MARKER = 2;

export interface JpegPart {
  /** null for bytes between segments: the data of a scan, or garbage. */
  readonly code: number | null;
  /** Number of bytes after the marker and the length, as the file claims. */
  readonly length: number;
}

/**
 * Iterates the markers and segments of a JPEG (ITU-T T.81, B.1), skipping all other bytes as decoders do. It doesn't
 * stop at the end marker, because a JPEG may be inside another one or follow it.
 */
export function* jpegParts(reader: ForwardReader): Walk<JpegPart> {
  for (;;) {
    if (!reader.has(MARKER)) yield MARKER;
    const between = indexOfMarker(reader);
    if (between > 0) {
      const end = reader.position + between;
      yield { code: null, length: between };
      reader.skipTo(end);
      continue;
    }
    const code = reader.byte(1);
    if (code !== SOI && code !== EOI && !reader.has(SEGMENT_HEADER)) yield SEGMENT_HEADER;
    const isAlone = code === SOI || code === EOI;
    // Decoders treat a segment with a length below the minimum as empty.
    const length = isAlone ? 0 : Math.max(2, reader.uint16(MARKER)) - 2;
    const end = reader.position + (isAlone ? MARKER : SEGMENT_HEADER) + length;
    yield { code, length };
    reader.skipTo(end);
  }
}

/**
 * Number of bytes that are compared one by one from an 0xff on, before `indexOf` is called again. A call of `indexOf`
 * costs as much as these comparisons, and the next 0xff is often near.
 */
const NEAR = 8;

/**
 * Returns the number of bytes before the next marker that starts a part. If there is no such marker, all bytes count
 * except the last one, which may start a marker.
 */
function indexOfMarker(reader: ForwardReader): number {
  if (reader.byte() === 0xff && beginsPart(reader.byte(1))) return 0;
  const bytes = reader.ahead();
  const last = bytes.length - 1;
  for (let at = 0; at < last; ) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return last;
    for (const near = Math.min(at + NEAR, last); at < near; at += 1) {
      if (bytes[at] === 0xff && beginsPart(bytes[at + 1] ?? 0)) return at;
    }
  }
  return last;
}

/**
 * Whether a marker code starts a part. A zero after 0xff means data; another 0xff, a restart marker and a temporary
 * marker have no content (ITU-T T.81, B.1.1).
 */
const beginsPart = (code: number): boolean =>
  !(code === 0 || code === 0xff || code === TEM || (code >= RST0 && code <= RST7));

const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);
const isFrame = (code: number): boolean => code >= 0xc0 && code < 0xd0 && !NO_FRAMES.has(code);

/** Lengths of frame headers with one to four components. */
const FRAME_LENGTHS = new Set([9, 12, 15, 18]);
const TWO_COMPONENTS = 12;
/** Length of precision, height and width. */
const DIMENSIONS_LENGTH = 5;

/** Frames that Chromium decodes: baseline, extended and progressive, with Huffman or arithmetic coding. */
const SHOWN = new Set([0xc0, 0xc1, 0xc2, 0xc9, 0xca]);
const LOSSLESS = new Set([0xc3, 0xcb]);

/** `Exif\0` and a byte of padding. A segment with nothing else isn't an EXIF block. */
const EXIF_PREFIX = [0x45786966, 0] as const;
const EXIF_PREFIX_LENGTH = 6;

/** Maximum height and width for libjpeg. A scanner that doesn't know the height yet writes 65,535. */
const MAX_SIDE = 65_500;

/** Limits. Camera files have some hundred segments before their frame, with megabytes of profiles and previews. */
const MAX_SEGMENTS = 65_536;
const MAX_BEFORE_SCAN = 256 * 1024 * 1024;

/** Maximum bytes between segments: decoders look for a frame header even in garbage. */
const MAX_BETWEEN = 32 * 1024 * 1024;

/**
 * Reads up to the first scan; the frame header and the EXIF blocks come before it. The orientation is read from the
 * first EXIF block, as in browsers. Some bytes in garbage look like a frame header, so the header must have a possible
 * length.
 *
 * @throws Unreadable if there is no frame header; Unsupported for a frame that browsers don't decode; Damaged if the
 *   file ends early
 */
export async function readJpegFrame(parts: Walk<JpegPart>, reader: ForwardReader): Promise<ImageFrame> {
  let frame: { readonly width: number; readonly height: number } | null = null;
  let orientation: number | null = null;
  let [hasGarbage, between, segments] = [false, 0, 0];
  try {
    while (segments < MAX_SEGMENTS && between < MAX_BETWEEN && reader.position < MAX_BEFORE_SCAN) {
      const part = await nextPart(parts, reader);
      if (part === null) break;
      const { code, length } = part;
      if (code === null) between += length;
      else segments += 1;
      hasGarbage ||= code === null && reader.byte() !== 0xff;
      if (code === null) continue;
      if (code === SOI) {
        if (segments === 1) continue;
        // Decoders refuse a second start marker. If there is garbage before it, the file was never a JPEG.
        if (hasGarbage) break;
        throw new Unsupported(`is a JPEG that begins twice, ${NOT_SHOWN}`);
      }
      if (code === SOS && frame !== null) return { ...frame, orientation: orientation ?? 1 };
      if (code < 0xc0 || code === EOI || code === SOS) break;
      if (isFrame(code) && length >= DIMENSIONS_LENGTH) {
        if (!FRAME_LENGTHS.has(length)) break;
        if (frame !== null) throw new Unsupported(`is a hierarchical JPEG, ${NOT_SHOWN}`);
        await reader.fill(SEGMENT_HEADER + DIMENSIONS_LENGTH);
        const fault = faultOf(code, reader.byte(SEGMENT_HEADER), length);
        if (fault !== null && hasGarbage) break;
        if (fault !== null) throw new Unsupported(fault);
        const [height, width] = [reader.uint16(SEGMENT_HEADER + 1), reader.uint16(SEGMENT_HEADER + 3)];
        // The height would be in a DNL segment after the first scan, which libjpeg doesn't read.
        if (height === 0 && width > 0 && !hasGarbage)
          throw new Unsupported(`is a JPEG without its height, ${NOT_SHOWN}`);
        if (Math.max(height, width) > MAX_SIDE && !hasGarbage) throw new Unsupported(TOO_LARGE);
        frame = { width, height };
      }
      if (code === APP1 && length > EXIF_PREFIX_LENGTH && orientation === null) {
        await reader.fill(SEGMENT_HEADER + length);
        const [name, zero] = [reader.uint32(SEGMENT_HEADER), reader.byte(SEGMENT_HEADER + 4)];
        if (name === EXIF_PREFIX[0] && zero === EXIF_PREFIX[1])
          orientation = orientationOf(reader.bytes(length - EXIF_PREFIX_LENGTH, SEGMENT_HEADER + EXIF_PREFIX_LENGTH));
      }
    }
  } catch (error) {
    // A damaged file with garbage before any frame was never a JPEG.
    if (!(error instanceof Damaged && hasGarbage && frame === null)) throw error;
  }
  throw frame === null ? new Unreadable('The JPEG has no frame header.') : new Damaged('The JPEG has no scan.');
}

const TOO_LARGE =
  'is a JPEG of more than 65,500 pixels in height or width, which browsers can’t show. Save a smaller one.';
const NOT_SHOWN = 'which browsers can’t show. Save it as an ordinary JPEG with 8 bits.';

/** Returns why browsers don't decode a frame (ITU-T T.81, table B.1); null if they do. */
function faultOf(code: number, precision: number, length: number): string | null {
  if (LOSSLESS.has(code)) return `is a lossless JPEG, ${NOT_SHOWN}`;
  if (!SHOWN.has(code)) return `is a hierarchical JPEG, ${NOT_SHOWN}`;
  if (precision !== 8) return `is a JPEG with ${precision} bits per sample, ${NOT_SHOWN}`;
  return length === TWO_COMPONENTS ? `is a JPEG with two colour components, ${NOT_SHOWN}` : null;
}
