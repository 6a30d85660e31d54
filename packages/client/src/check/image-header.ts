import {
  colorTableLength,
  type ForwardReader,
  GIF_HEADER,
  gifBlocks,
  type ImageFrame,
  jpegParts,
  nextPart,
  orientationOf,
  PNG_CHUNK_HEADER,
  PNG_SIGNATURE,
  pngChunks,
  readJpegFrame,
  readWebpFrame,
  VP8X,
  WEBP_CHUNK_HEADER,
  WEBP_HEADER,
  webpChunks,
  webpFrameLength,
} from '@postshelf/domain/formats';
import { UnreadableFile } from './unreadable-file.ts';

export interface ImageHeader extends ImageFrame {
  /** Of a GIF; null if they can't be counted, and for other types. */
  readonly frames: number | null;
}

/** Cameras write megabytes before the image data, but in fewer parts. */
const MAX_PARTS = 5000;
const MAX_EXIF_LENGTH = 0xffff;

export async function jpegHeader(reader: ForwardReader): Promise<ImageHeader> {
  return { ...(await readJpegFrame(jpegParts(reader), reader)), frames: null };
}

/** The orientation may be in a chunk before the image data (PNG, third edition, 11.3.4.5). */
export async function pngHeader(reader: ForwardReader): Promise<ImageHeader> {
  await reader.fill(PNG_SIGNATURE + PNG_CHUNK_HEADER + 8);
  const size = { width: reader.uint32(16), height: reader.uint32(20) };
  reader.skip(PNG_SIGNATURE);
  let orientation = 1;
  const chunks = pngChunks(reader);
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const chunk = await nextPart(chunks, reader);
    if (chunk === null || chunk.type === 'IDAT' || chunk.type === 'IEND') break;
    if (chunk.type === 'eXIf') orientation = await readOrientation(reader, PNG_CHUNK_HEADER, chunk.length);
  }
  return { ...size, orientation, frames: null };
}

export async function gifHeader(reader: ForwardReader): Promise<ImageHeader> {
  await reader.fill(GIF_HEADER);
  const size = { width: reader.uint16(6, true), height: reader.uint16(8, true) };
  reader.skip(GIF_HEADER + colorTableLength(reader.byte(10)));
  return { ...size, orientation: 1, frames: await countFrames(reader) };
}

const MAX_BLOCKS = 100_000;

async function countFrames(reader: ForwardReader): Promise<number | null> {
  let frames = 0;
  const blocks = gifBlocks(reader);
  for (let parts = 0; parts < MAX_BLOCKS; parts++) {
    const block = await nextPart(blocks, reader).catch(() => null);
    if (block?.kind === 'trailer') return frames;
    if (block === null || block.kind === 'other') return null;
    if (block.kind === 'image') frames++;
  }
  return null;
}

/** A later chunk of the extended format may have the orientation. */
export async function webpHeader(reader: ForwardReader): Promise<ImageHeader> {
  reader.skip(WEBP_HEADER);
  const chunks = webpChunks(reader, reader.size);
  const first = await nextPart(chunks, reader);
  const length = first ? webpFrameLength(first) : 0;
  if (first === null || length === 0) throw new UnreadableFile('The WebP has no header.');
  await reader.fill(WEBP_CHUNK_HEADER + length);
  const frame = readWebpFrame(first.type, reader);
  if (frame === null) throw new UnreadableFile('The WebP has no header.');
  const { flags, ...size } = frame;
  let orientation = 1;
  for (let parts = 0; first.type === 'VP8X' && flags & VP8X.exif && parts < MAX_PARTS; parts++) {
    const chunk = await nextPart(chunks, reader);
    if (chunk?.type === 'EXIF') orientation = await readOrientation(reader, WEBP_CHUNK_HEADER, chunk.length);
    if (chunk === null || chunk.type === 'EXIF') break;
  }
  return { ...size, orientation, frames: null };
}

async function readOrientation(reader: ForwardReader, header: number, length: number): Promise<number> {
  if (length > MAX_EXIF_LENGTH) return 1;
  await reader.fill(header + length);
  return orientationOf(reader.bytes(length, header));
}
