import type { MediaType, PreviewSize } from '@postshelf/domain';
import {
  colorTableLength,
  EOI,
  endOfScans,
  ForwardReader,
  GIF_HEADER,
  type GifFrame,
  gifBlocks,
  gifCanvas,
  gifScreen,
  IMAGE_DESCRIPTOR,
  jpegParts,
  readJpegFrame,
} from '@postshelf/domain/formats';
import { readOrientation } from '../inspect/image.ts';
import { firstFrame } from '../previews/plain-webp.ts';
import { onCanvas } from './canvas.ts';
import { MAX_PIXELS } from './max-pixels.ts';
import { plainPng } from './png.ts';
import { colourChunkOf, hasBrokenProfile } from './png-colours.ts';
import { divided, isTransparent, multiplied } from './transparency.ts';

/** An image to decode. */
export interface SourceImage {
  /** Forms of the image to give to the decoder, in turn, until it accepts one. */
  readonly forms: readonly (() => Uint8Array)[];
  readonly maxPixels: number;
  /** Whether the image's format has no transparency. */
  readonly isOpaque: boolean;
  readonly width: number;
  readonly height: number;
  /** The EXIF orientation, which is applied after decoding. */
  readonly orientation: number;
  /** The place of the decoded frame on the canvas; null if the frame fills the canvas. */
  readonly frame: GifFrame | null;
}

/** Returns an image's size once it is upright. */
export const uprightSize = ({ width, height, orientation }: SourceImage): PreviewSize =>
  isTurned(orientation) ? { width: height, height: width } : { width, height };

const isTurned = (orientation: number): boolean => orientation >= 5;

/** Opens an image. Returns null if its bytes are of another type. */
export async function openImage(bytes: Uint8Array, type: MediaType): Promise<SourceImage | null> {
  if (type === 'image/gif') return openGif(bytes);
  const animated = type === 'image/webp' ? firstFrame(bytes) : null;
  const still = animated?.bytes ?? bytes;
  const maxPixels = type === 'image/jpeg' ? MAX_PIXELS.jpeg : MAX_PIXELS.other;
  const found = await new Bun.Image(still, { autoOrient: false, maxPixels }).metadata();
  if (`image/${found.format}` !== type) return null;
  const { width, height } = animated?.canvas ?? found;
  const forms =
    type === 'image/png' ? pngForms(bytes) : [() => still, ...(type === 'image/jpeg' ? [() => closedJpeg(bytes)] : [])];
  const orientation = await orientationOf(type, bytes);
  const isOpaque = type === 'image/jpeg';
  return { forms, maxPixels, isOpaque, width, height, orientation, frame: animated?.frame ?? null };
}

/**
 * Returns forms of a PNG that Bun may decode correctly. Bun reads colours only from profiles, and refuses some chunks
 * that browsers ignore.
 */
function pngForms(bytes: Uint8Array): SourceImage['forms'] {
  const colours = colourChunkOf(bytes);
  const plain = () => plainPng(bytes, []);
  return [
    ...(colours ? [() => plainPng(bytes, [], colours)] : []),
    ...(hasBrokenProfile(bytes) ? [] : [() => bytes, () => plainPng(bytes, ['iCCP'])]),
    plain,
  ];
}

/**
 * Opens a GIF. Bun decodes the first frame, but ignores its place on the canvas. It also needs a colour table, so a
 * frame without one gets a table that contains only black.
 */
function openGif(bytes: Uint8Array): SourceImage | null {
  if (new TextDecoder('latin1').decode(bytes.subarray(0, 4)) !== 'GIF8' || bytes.length < GIF_HEADER) return null;
  const reader = ForwardReader.over(bytes);
  const screen = gifScreen(reader);
  const tableFlags = bytes[GIF_HEADER - 3] ?? 0;
  reader.skip(GIF_HEADER + colorTableLength(tableFlags));
  for (const block of gifBlocks(reader)) {
    if (typeof block === 'number') break;
    if (block.kind !== 'image') continue;
    const { frame } = block;
    const hasTable = colorTableLength(tableFlags | reader.byte(IMAGE_DESCRIPTOR - 1)) > 0;
    const forms = [() => (hasTable ? bytes : withColorTable(bytes))];
    return { forms, maxPixels: MAX_PIXELS.other, isOpaque: false, ...gifCanvas(screen, frame), orientation: 1, frame };
  }
  return null;
}

/** Replaces everything after the scans of a JPEG with an end marker, because phones may append their own data there. */
const closedJpeg = (jpeg: Uint8Array): Uint8Array =>
  Buffer.concat([jpeg.subarray(0, endOfScans(jpeg) ?? jpeg.length), Buffer.from([0xff, EOI])]);

/** Flags of a table of 256 colours (GIF89a, section 18). */
const TABLE_OF_256 = 0x87;

function withColorTable(gif: Uint8Array): Uint8Array {
  const header = Buffer.from(gif.subarray(0, GIF_HEADER));
  header[GIF_HEADER - 3] = TABLE_OF_256;
  return Buffer.concat([header, Buffer.alloc(colorTableLength(TABLE_OF_256)), gif.subarray(GIF_HEADER)]);
}

/** Scales an image and returns it as a PNG that isn't rotated yet. After rotation, the PNG has the size `upright`. */
export async function shrink(image: SourceImage, upright: PreviewSize): Promise<Uint8Array> {
  const [width, height] = isTurned(image.orientation)
    ? [upright.height, upright.width]
    : [upright.width, upright.height];
  const { frame } = image;
  const isAll = frame === null || (frame.width === image.width && frame.height === image.height);
  if (isAll) return decodeTo(image, width, height);
  const [left, right] = [frame.left, frame.left + frame.width].map((x) => Math.round((x * width) / image.width));
  const [top, bottom] = [frame.top, frame.top + frame.height].map((y) => Math.round((y * height) / image.height));
  const place = { left: Math.min(left ?? 0, width - 1), top: Math.min(top ?? 0, height - 1) };
  if (frame.width === 0 || frame.height === 0) return onCanvas(null, width, height, place);
  const across = Math.max(1, (right ?? 0) - place.left);
  const down = Math.max(1, (bottom ?? 0) - place.top);
  return onCanvas(await decodeTo(image, across, down), width, height, place);
}

/**
 * Maximum pixels of an image whose colours are multiplied by alpha, so that the multiplication takes only a fraction of
 * a second.
 */
const MAX_MULTIPLIED = 4_000_000;

/** Scales an image. Pixels are mixed in proportion to their opacity, so hidden colours don't show. */
async function decodeTo(image: SourceImage, width: number, height: number): Promise<Uint8Array> {
  const scaled = await scaleTo(image, width, height);
  const from = image.frame ?? image;
  if (image.isOpaque || (from.width === width && from.height === height)) return scaled;
  // A larger image is scaled in two steps, of which only the second one takes account of opacity.
  const scale = Math.min(1, Math.sqrt(MAX_MULTIPLIED / from.width / from.height));
  const enough = { width: Math.round(from.width * scale), height: Math.round(from.height * scale) };
  if (scale < 1 && (enough.width <= width || enough.height <= height)) return scaled;
  if (!(await isTransparent(scaled))) return scaled;
  const whole = multiplied(await scaleTo(image, enough.width, enough.height));
  return divided(await new Bun.Image(whole).resize(width, height).png({ compressionLevel: 1 }).bytes());
}

async function scaleTo({ forms, maxPixels }: SourceImage, width: number, height: number): Promise<Uint8Array> {
  for (const [index, form] of forms.entries()) {
    try {
      const opened = new Bun.Image(form(), { autoOrient: false, maxPixels });
      return await opened.resize(width, height).png({ compressionLevel: 1 }).bytes();
    } catch (error) {
      if (index === forms.length - 1) throw error;
    }
  }
  throw new Error('There is nothing to decode.');
}

/**
 * Returns the EXIF orientation. It is the same as the item's, because the same code reads both. Returns 1 for types
 * whose orientation browsers ignore.
 */
async function orientationOf(type: MediaType, bytes: Uint8Array): Promise<number> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (type === 'image/jpeg') {
      const reader = ForwardReader.over(bytes);
      return (await readJpegFrame(jpegParts(reader), reader)).orientation;
    }
    if (type !== 'image/png' || !file.includes('eXIf')) return 1;
    const read = async (from: number, length: number): Promise<Uint8Array> => bytes.subarray(from, from + length);
    return await readOrientation(type, { size: bytes.length, read });
  } catch {
    // An earlier release accepted this file. The decoder finds out whether the file can be shown.
    return 1;
  }
}

/**
 * Makes an image upright (EXIF 2.32, tag 0x0112). Bun rotates before it mirrors, regardless of the order of the calls.
 */
export function setUpright(image: Bun.Image, orientation: number): Bun.Image {
  switch (orientation) {
    case 2:
      return image.flop();
    case 3:
      return image.rotate(180);
    case 4:
      return image.flip();
    case 5:
      return image.rotate(90).flop();
    case 6:
      return image.rotate(90);
    case 7:
      return image.rotate(270).flop();
    case 8:
      return image.rotate(270);
    default:
      return image;
  }
}
