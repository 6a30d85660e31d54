import {
  colorTableLength,
  type ForwardReader,
  GIF_HEADER,
  gifBlocks,
  gifCanvas,
  gifScreen,
  type ImageFrame,
  jpegParts,
  nextPart,
  PNG_CHUNK_HEADER,
  PNG_SIGNATURE,
  pngChunks,
  pngExifLength,
  pngFault,
  readJpegFrame,
  readPngOrientation,
  readWebpFrame,
  Unsupported,
  WEBP_CHUNK_HEADER,
  WEBP_HEADER,
  webpChunks,
  webpFrameLength,
} from '@postshelf/domain/formats';
import { UnreadableFile } from './unreadable-file.ts';

export interface ImageHeader extends ImageFrame {
  /** The number of frames of a GIF; null if they can't be counted, and for other types. */
  readonly frames: number | null;
}

/** Maximum number of segments before the image data. Cameras write megabytes there, but in fewer segments. */
const MAX_PARTS = 5000;

export async function jpegHeader(reader: ForwardReader): Promise<ImageHeader> {
  return { ...(await readJpegFrame(jpegParts(reader), reader)), frames: null };
}

/** Length of the `IHDR` content in bytes. */
const PNG_HEADER = 13;

/** Reads a PNG's header. The orientation may be in a chunk before the image data (PNG, third edition, 11.3.4.5). */
export async function pngHeader(reader: ForwardReader): Promise<ImageHeader> {
  await reader.fill(PNG_SIGNATURE + PNG_CHUNK_HEADER + PNG_HEADER);
  const size = { width: reader.uint32(16), height: reader.uint32(20) };
  const fault = pngFault(reader.bytes(PNG_HEADER, PNG_SIGNATURE + PNG_CHUNK_HEADER));
  if (fault !== null) throw new Unsupported(fault);
  reader.skip(PNG_SIGNATURE);
  let orientation: number | null = null;
  const chunks = pngChunks(reader);
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const chunk = await nextPart(chunks, reader);
    if (chunk === null || chunk.type === 'IDAT' || chunk.type === 'IEND') break;
    const needed = chunk.type === 'eXIf' && orientation === null ? pngExifLength(chunk) : null;
    if (needed === null) continue;
    await reader.fill(needed);
    orientation = readPngOrientation(chunk, reader);
  }
  return { ...size, orientation: orientation ?? 1, frames: null };
}

export async function gifHeader(reader: ForwardReader): Promise<ImageHeader> {
  await reader.fill(GIF_HEADER);
  const screen = gifScreen(reader);
  reader.skip(GIF_HEADER + colorTableLength(reader.byte(10)));
  let [frames, size]: [number | null, typeof screen] = [0, screen];
  const blocks = gifBlocks(reader);
  for (let parts = 0; frames !== null; parts++) {
    const block = parts < MAX_BLOCKS ? await nextPart(blocks, reader).catch(() => null) : null;
    if (block?.kind === 'trailer') break;
    if (block === null || block.kind === 'other') frames = null;
    else if (block.kind === 'image') {
      if (frames === 0) size = gifCanvas(screen, block.frame);
      frames++;
    }
  }
  return { ...size, orientation: 1, frames };
}

const MAX_BLOCKS = 100_000;

/** Reads a WebP's header. The EXIF orientation isn't read, because browsers ignore it in WebP files. */
export async function webpHeader(reader: ForwardReader): Promise<ImageHeader> {
  reader.skip(WEBP_HEADER);
  const first = await nextPart(webpChunks(reader, reader.size), reader);
  const length = first ? webpFrameLength(first) : 0;
  if (first === null || length === 0) throw new UnreadableFile('The WebP has no header.');
  await reader.fill(WEBP_CHUNK_HEADER + length);
  const frame = readWebpFrame(first.type, reader);
  if (frame === null) throw new UnreadableFile('The WebP has no header.');
  return { width: frame.width, height: frame.height, orientation: 1, frames: null };
}
