import {
  Damaged,
  type ForwardReader,
  readWebpFrame,
  readWebpPlace,
  Unreadable,
  Unsupported,
  VP8X,
  WEBP_CHUNK_HEADER,
  WEBP_FRAME_PLACE,
  WEBP_HEADER,
  type WebpChunk,
  type WebpFrame,
  type WebpPlace,
  webpChunks,
  webpFrameLength,
} from '@postshelf/domain/formats';
import type { WalkedImage } from './dimensions.ts';

const MAX_CHUNKS = 2_000_000;

const IMAGE_DATA = new Set(['VP8 ', 'VP8L', 'ANMF']);

/**
 * Walks a WebP up to the end of its RIFF container. The first chunk that contains dimensions determines them; a file
 * without such a chunk isn't a WebP. The orientation in an EXIF chunk is ignored, as in browsers.
 */
export async function walkWebp(reader: ForwardReader): Promise<WalkedImage> {
  if (!(await reader.reaches(WEBP_HEADER))) throw new Unreadable('The WebP has no header.');
  const end = reader.uint32(4, true) + WEBP_CHUNK_HEADER;
  reader.skip(WEBP_HEADER);
  const found = new Found();
  try {
    await walkChunks(reader, end, found);
    if (end > reader.size) throw new Damaged('The WebP is longer than the file.');
    if (!found.hasImageData) throw new Damaged('The WebP has no image data.');
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
    const { at, length } = chunk;
    chunks += 1;
    if (chunks > MAX_CHUNKS) throw new Unreadable('The WebP has too many chunks.');
    await readPart(reader, chunk, found);
    if (at + WEBP_CHUNK_HEADER + length > end) throw new Damaged('A chunk is longer than the WebP.');
  }
}

async function readPart(reader: ForwardReader, chunk: WebpChunk, found: Found): Promise<void> {
  const { type } = chunk;
  if (IMAGE_DATA.has(type)) found.hasImageData = true;
  if (type === 'ANIM') found.hasAnimation = true;
  if (type === 'ANMF') {
    found.frames += 1;
    if (chunk.length < WEBP_FRAME_PLACE) return;
    await reader.fill(WEBP_CHUNK_HEADER + WEBP_FRAME_PLACE);
    found.addPlace(readWebpPlace(reader));
  }
  const needed = webpFrameLength(chunk);
  if (needed === 0) return;
  await reader.fill(WEBP_CHUNK_HEADER + needed);
  const frame = readWebpFrame(type, reader);
  if (frame !== null) found.addFrame(type, frame);
}

const MISMATCH = 'so browsers can’t show it. Save it as WebP again.';

class Found {
  /** The dimensions and flags in `VP8X` or, if there is no such chunk, those of the image. */
  frame: WebpFrame | null = null;
  hasImageData = false;
  frames = 0;
  hasAnimation = false;
  #extended: WebpFrame | null = null;
  #still: WebpFrame | null = null;
  /** The width and height of the smallest canvas that would contain all frames of an animation. */
  #reach = { width: 0, height: 0 };

  addFrame(type: string, frame: WebpFrame): void {
    this.frame ??= frame;
    if (type === 'VP8X') this.#extended ??= frame;
    else this.#still ??= frame;
  }

  addPlace({ left, top, width, height }: WebpPlace): void {
    this.#reach = {
      width: Math.max(this.#reach.width, left + width),
      height: Math.max(this.#reach.height, top + height),
    };
  }

  /** @throws Unsupported if browsers refuse the file because its parts contradict each other */
  toImage(): WalkedImage {
    const { width, height } = this.frame ?? { width: 0, height: 0 };
    const fault = this.#extended && this.#faultIn(this.#extended);
    if (fault) throw new Unsupported(fault);
    const isAnimated = this.#extended !== null && (this.#extended.flags & VP8X.animation) !== 0;
    const hasAlpha = ((this.#extended ?? this.#still)?.flags ?? 0) & VP8X.alpha;
    const details = { frames: isAnimated ? this.frames : 1, hasAlpha: hasAlpha !== 0 };
    return { width, height, orientation: 1, hasEnd: true, details };
  }

  #faultIn({ width, height, flags }: WebpFrame): string | null {
    const isAnimated = (flags & VP8X.animation) !== 0;
    if (isAnimated !== this.frames > 0) return `is a WebP whose header and frames contradict each other, ${MISMATCH}`;
    if (isAnimated && !this.hasAnimation) return `is an animated WebP without its ANIM chunk, ${MISMATCH}`;
    if (isAnimated && (this.#reach.width > width || this.#reach.height > height))
      return `is an animated WebP with a frame outside of its canvas, ${MISMATCH}`;
    if (this.#still && (this.#still.width !== width || this.#still.height !== height))
      return `is a WebP whose image isn’t as large as its header says, ${MISMATCH}`;
    return null;
  }
}
