import { type FileReader, textAt, UnreadableFile } from './file-reader.ts';

/** The facts in an image's headers. Width and height are as displayed, after rotation. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  /** Frames of a GIF; null if there are too many to count, or they can't be counted, and for other types. */
  readonly frames: number | null;
}

/** Most segments or chunks that are read. Cameras write megabytes before the frame header, but in fewer parts. */
const MAX_PARTS = 5000;

/** JPEG: reads marker segments up to the frame header, which has the dimensions (ITU-T T.81, B.2). */
export async function jpegHeader(file: FileReader): Promise<ImageHeader> {
  let orientation = 1;
  for (let at = 2, part = 0; part < MAX_PARTS; part++) {
    const view = await file.read(at, 4);
    const marker = view.getUint8(1);
    if (view.getUint8(0) !== 0xff) throw new UnreadableFile('The JPEG has no frame header.');
    const length = view.getUint16(2);
    if (marker === 0xe1 && length > 8) {
      const segment = await file.read(at + 4, length - 2);
      if (textAt(segment, 0, 4) === 'Exif') orientation = orientationOf(after(segment, 6));
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const frame = await file.read(at + 5, 4);
      return turned({ width: frame.getUint16(2), height: frame.getUint16(0), frames: null }, orientation);
    }
    at += marker === 0xff ? 1 : 2 + length;
  }
  throw new UnreadableFile('The JPEG has no frame header.');
}

/** PNG: reads the header, and for the orientation the chunks before the image data (PNG, third edition, 11.3.4.5). */
export async function pngHeader(file: FileReader): Promise<ImageHeader> {
  const header = await file.read(16, 8);
  const image = { width: header.getUint32(0), height: header.getUint32(4), frames: null };
  for (let at = 8, part = 0; part < MAX_PARTS && at + 8 <= file.size; part++) {
    const chunk = await file.read(at, 8);
    const [length, type] = [chunk.getUint32(0), textAt(chunk, 4, 4)];
    if (type === 'IDAT' || type === 'IEND') break;
    if (type === 'eXIf' && length <= 0xffff) return turned(image, orientationOf(await file.read(at + 8, length)));
    at += length + 12;
  }
  return image;
}

/** GIF: reads the logical screen descriptor, and all blocks to count the frames (GIF89a, 17 to 27). */
export async function gifHeader(file: FileReader): Promise<ImageHeader> {
  const screen = await file.read(6, 7);
  const image = { width: screen.getUint16(0, true), height: screen.getUint16(2, true) };
  return { ...image, frames: await countFrames(file, 13 + colors(screen.getUint8(4))) };
}

/** Bytes of the color table that these flags announce. */
const colors = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Most blocks that are read; each has at most 255 bytes, so a full GIF of 30 MB has as many. */
const MAX_BLOCKS = 120_000;

async function countFrames(file: FileReader, start: number): Promise<number | null> {
  let frames = 0;
  let isInBlocks = false;
  for (let at = start, block = 0; block < MAX_BLOCKS && at < file.size; block++) {
    const first = (await file.read(at, 1)).getUint8(0);
    if (isInBlocks) {
      isInBlocks = first !== 0;
      at += 1 + first;
    } else if (first === 0x2c) {
      frames++;
      if (at + 10 > file.size) return null;
      at += 11 + colors((await file.read(at + 9, 1)).getUint8(0));
      isInBlocks = true;
    } else if (first === 0x21) {
      at += 2;
      isInBlocks = true;
    } else return first === 0x3b ? frames : null;
  }
  return null;
}

/** WebP: reads one of the three headers; for the extended one also the EXIF chunk (RFC 9649, sections 2.5 to 2.7). */
export async function webpHeader(file: FileReader): Promise<ImageHeader> {
  const view = await file.read(12, 18);
  const type = textAt(view, 0, 4);
  if (type === 'VP8 ') return { width: u14(view, 14), height: u14(view, 16), frames: null };
  if (type === 'VP8L') {
    const bits = view.getUint32(9, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1, frames: null };
  }
  if (type !== 'VP8X') throw new UnreadableFile('The WebP has no header.');
  const image = { width: u24(view, 12) + 1, height: u24(view, 15) + 1, frames: null };
  return view.getUint8(8) & 0x08 ? turned(image, await webpOrientation(file)) : image;
}

const u14 = (view: DataView, at: number): number => view.getUint16(at, true) & 0x3fff;
const u24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);

async function webpOrientation(file: FileReader): Promise<number> {
  for (let at = 12, part = 0; part < MAX_PARTS && at + 8 <= file.size; part++) {
    const chunk = await file.read(at, 8);
    const length = chunk.getUint32(4, true);
    if (textAt(chunk, 0, 4) === 'EXIF' && length <= 0xffff) return orientationOf(await file.read(at + 8, length));
    at += 8 + length + (length & 1);
  }
  return 1;
}

const after = (view: DataView, offset: number): DataView =>
  new DataView(view.buffer, view.byteOffset + offset, view.byteLength - offset);

const ORIENTATION = 0x0112;

/** The orientation in EXIF data, 1 to 8; 1 if there is none (Exif 3.0, 4.6.5.1.6). */
function orientationOf(exif: DataView): number {
  const tiff = exif.byteLength > 6 && textAt(exif, 0, 4) === 'Exif' ? after(exif, 6) : exif;
  if (tiff.byteLength < 14) return 1;
  const little = tiff.getUint16(0) === 0x4949;
  const start = tiff.getUint32(4, little);
  if (start + 2 > tiff.byteLength) return 1;
  const entries = tiff.getUint16(start, little);
  for (let at = start + 2, entry = 0; entry < entries && at + 12 <= tiff.byteLength; entry++, at += 12) {
    if (tiff.getUint16(at, little) === ORIENTATION) return tiff.getUint16(at + 8, little);
  }
  return 1;
}

/** Swaps width and height for orientations 5 to 8, which rotate the image by 90 degrees. */
const turned = (image: ImageHeader, orientation: number): ImageHeader =>
  orientation >= 5 && orientation <= 8 ? { ...image, width: image.height, height: image.width } : image;
