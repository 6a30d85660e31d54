import { Damaged, Unreadable } from './errors.ts';
import { orientationOf } from './exif.ts';
import type { ForwardReader } from './forward-reader.ts';
import type { ImageFrame } from './image-frame.ts';
import { nextPart, type Walk } from './walk.ts';

/** Codes of markers, after 0xff (ITU-T T.81, table B.1). */
export const [SOI, EOI, SOS, APP1] = [0xd8, 0xd9, 0xda, 0xe1];
const [TEM, RST0, RST7] = [0x01, 0xd0, 0xd7];

export const SEGMENT_HEADER = 4;
const MARKER = 2;

export interface JpegPart {
  /** null for bytes between segments: the data of a scan, or garbage. */
  readonly code: number | null;
  /** Bytes after marker and length, as the file claims. */
  readonly length: number;
}

/**
 * The markers and segments of a JPEG (ITU-T T.81, B.1), past all other bytes, as decoders do, and not only up to the
 * end marker: a JPEG may be inside another, or after it.
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

/** Compared one by one: the next 0xff is often near, and a search costs as much. */
const NEAR = 8;

/** Bytes before the next marker that begins or ends something; up to the last byte, which may begin one. */
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

/** A zero makes the 0xff data; another 0xff, a restart or a temporary marker is alone (ITU-T T.81, B.1.1). */
const beginsPart = (code: number): boolean =>
  !(code === 0 || code === 0xff || code === TEM || (code >= RST0 && code <= RST7));

const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);
const isFrame = (code: number): boolean => code >= 0xc0 && code < 0xd0 && !NO_FRAMES.has(code);

const FRAME_LENGTHS = new Set([9, 12, 15, 18]);
/** Precision, height, width. */
const DIMENSIONS_LENGTH = 5;

/** `Exif\0\0`. */
const EXIF_PREFIX = [0x45786966, 0] as const;
const EXIF_PREFIX_LENGTH = 6;

/** Camera files have megabytes of profiles and previews there. */
const MAX_BEFORE_FRAME = 32 * 1024 * 1024;

/**
 * The orientation is that of the last EXIF block before. In garbage some bytes look like a frame header, so its length
 * must be possible. Throws `Unreadable` if there is none, `Damaged` if the file ends before it.
 */
export async function readJpegFrame(parts: Walk<JpegPart>, reader: ForwardReader): Promise<ImageFrame> {
  let orientation = 1;
  let hasGarbage = false;
  try {
    while (reader.position < MAX_BEFORE_FRAME) {
      const part = await nextPart(parts, reader);
      if (part === null) break;
      const { code, length } = part;
      hasGarbage ||= code === null && reader.byte() !== 0xff;
      if (code === null || code === SOI) continue;
      if (code < 0xc0 || code === EOI || code === SOS) break;
      if (isFrame(code) && length >= DIMENSIONS_LENGTH) {
        if (!FRAME_LENGTHS.has(length)) break;
        await reader.fill(SEGMENT_HEADER + DIMENSIONS_LENGTH);
        return { width: reader.uint16(SEGMENT_HEADER + 3), height: reader.uint16(SEGMENT_HEADER + 1), orientation };
      }
      if (code === APP1 && length >= EXIF_PREFIX_LENGTH + 4) {
        await reader.fill(SEGMENT_HEADER + length);
        const [name, zeros] = [reader.uint32(SEGMENT_HEADER), reader.uint16(SEGMENT_HEADER + 4)];
        if (name === EXIF_PREFIX[0] && zeros === EXIF_PREFIX[1])
          orientation = orientationOf(reader.bytes(length, SEGMENT_HEADER));
      }
    }
  } catch (error) {
    // After garbage it was never a JPEG.
    if (!(error instanceof Damaged && hasGarbage)) throw error;
  }
  throw new Unreadable('The JPEG has no frame header.');
}
