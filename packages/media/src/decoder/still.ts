import type { StillOrder } from '../child/protocol.ts';
import { readPixels, writePixels } from './canvas.ts';
import { openPicture, setUpright, shrink, uprightSize } from './picture.ts';
import { plainPng } from './png.ts';
import { convertToSrgb } from './to-srgb.ts';

/** Pixels of the largest still. */
const MAX_PIXELS = 24_000_000;

/**
 * Makes a PNG of the image as previews show it: its first frame, upright and in sRGB, without metadata. It has at most
 * twice the width and height that it needs to cover the canvas, so that scaling it down afterwards loses nothing.
 *
 * @returns null for an image of another type
 */
export async function makeStill(bytes: Uint8Array, { type, canvas }: StillOrder): Promise<Uint8Array | null> {
  const picture = await openPicture(bytes, type);
  if (picture === null) return null;
  const { width, height } = uprightSize(picture);
  const enough = 2 * Math.max(canvas.width / width, canvas.height / height);
  const scale = Math.min(1, enough, Math.sqrt(MAX_PIXELS / width / height));
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const { orientation } = picture;
  const decoded = await shrink(picture, size);
  const upright =
    orientation === 1
      ? decoded
      : await setUpright(new Bun.Image(decoded), orientation).png({ compressionLevel: 1 }).bytes();
  if (!Buffer.from(upright.buffer, upright.byteOffset, upright.length).includes('iCCP')) return plainPng(upright, []);
  const pixels = readPixels(upright);
  convertToSrgb(pixels);
  return writePixels({ ...pixels, profile: null });
}
