import {
  Damaged,
  type ForwardReader,
  orientationOf,
  readWebpFrame,
  Unreadable,
  VP8X,
  WEBP_CHUNK_HEADER,
  WEBP_HEADER,
  type WebpChunk,
  webpChunks,
  webpFrameLength,
} from '@postshelf/domain/formats';
import type { WalkedImage } from './dimensions.ts';

/** Most bytes of an EXIF block that are read; the orientation is near its beginning. */
const MAX_EXIF_LENGTH = 1024 * 1024;

const MAX_CHUNKS = 2_000_000;

const PICTURES = new Set(['VP8 ', 'VP8L', 'ANMF']);

/**
 * Walks a WebP up to the end of its RIFF. The first chunk with dimensions before the first EXIF block counts. A file
 * without dimensions isn't a WebP.
 */
export async function walkWebp(reader: ForwardReader): Promise<WalkedImage> {
  if (!(await reader.reaches(WEBP_HEADER))) throw new Unreadable('The WebP has no header.');
  const end = reader.uint32(4, true) + WEBP_CHUNK_HEADER;
  reader.skip(WEBP_HEADER);
  const found = new Found();
  try {
    await walkChunks(reader, end, found);
    if (end > reader.size) throw new Damaged('The WebP is longer than the file.');
    if (!found.hasPicture) throw new Damaged('The WebP has no image data.');
  } catch (error) {
    if (error instanceof Damaged && found.frame === null) {
      throw new Unreadable('The WebP has no dimensions.', { cause: error });
    }
    throw error;
  }
  return found.toImage();
}

async function walkChunks(reader: ForwardReader, end: number, found: Found): Promise<void> {
  let chunks = 0;
  for (const chunk of webpChunks(reader, end)) {
    if (typeof chunk === 'number') {
      await reader.fill(chunk);
      continue;
    }
    const { type, at, length } = chunk;
    chunks += 1;
    if (chunks > MAX_CHUNKS) throw new Unreadable('The WebP has too many chunks.');
    if (PICTURES.has(type)) found.hasPicture = true;
    if (type === 'ANMF') found.frames += 1;
    if (found.orientation === null) await readHeader(reader, chunk, found);
    if (at + WEBP_CHUNK_HEADER + length > end) throw new Damaged('A chunk is longer than the WebP.');
  }
}

async function readHeader(reader: ForwardReader, chunk: WebpChunk, found: Found): Promise<void> {
  const { type, length } = chunk;
  if (type === 'EXIF' && length > 0) {
    const read = Math.min(length, MAX_EXIF_LENGTH);
    await reader.fill(WEBP_CHUNK_HEADER + read);
    found.orientation = orientationOf(reader.bytes(read, WEBP_CHUNK_HEADER));
  }
  const needed = webpFrameLength(chunk);
  if (needed === 0) return;
  await reader.fill(WEBP_CHUNK_HEADER + needed);
  const frame = readWebpFrame(type, reader);
  if (frame === null) return;
  found.frame ??= frame;
  if (type === 'VP8X') found.extended ??= frame.flags;
  else found.hasAlpha ||= frame.flags === VP8X.alpha;
}

class Found {
  frame: { readonly width: number; readonly height: number } | null = null;
  orientation: number | null = null;
  hasPicture = false;
  frames = 0;
  /** The flags of `VP8X`, and whether a picture without them is transparent. */
  extended: number | null = null;
  hasAlpha = false;

  toImage(): WalkedImage {
    const { width, height } = this.frame ?? { width: 0, height: 0 };
    const hasAlpha = this.extended === null ? this.hasAlpha : (this.extended & VP8X.alpha) !== 0;
    const isAnimated = this.extended !== null && (this.extended & VP8X.animation) !== 0;
    const frames = isAnimated ? Math.max(1, this.frames) : 1;
    return { width, height, orientation: this.orientation ?? 1, details: { frames, hasAlpha } };
  }
}
