import { type Pixels, readPixels, writePixels } from './canvas.ts';

/** Width and height in pixels of the copy that is searched for transparency. */
const SIDE = 64;

/** Whether a PNG that Bun wrote has transparent parts large enough to matter in a smaller copy. */
export async function isTransparent(png: Uint8Array): Promise<boolean> {
  const { rows } = readPixels(await new Bun.Image(png).resize(SIDE, SIDE).png({ compressionLevel: 1 }).bytes());
  for (let at = 3; at < rows.length; at += 4) if (rows[at] !== 255) return true;
  return false;
}

/**
 * Multiplies each colour by its alpha. Bun mixes colours without regard to alpha when it scales, which would show the
 * colours hidden under transparent pixels at every edge.
 *
 * @param png written by Bun
 */
export const multiplied = (png: Uint8Array): Uint8Array => change(png, (colour, alpha) => (colour * alpha + 127) / 255);

/** Reverses {@link multiplied} after scaling. */
export const divided = (png: Uint8Array): Uint8Array =>
  change(png, (colour, alpha) => (alpha === 0 ? 0 : Math.min(255, (colour * 255 + (alpha >> 1)) / alpha)));

function change(png: Uint8Array, by: (colour: number, alpha: number) => number): Uint8Array {
  const pixels: Pixels = readPixels(png);
  const { rows } = pixels;
  for (let at = 0; at < rows.length; at += 4) {
    const alpha = rows[at + 3] ?? 0;
    if (alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel += 1) rows[channel] = Math.trunc(by(rows[channel] ?? 0, alpha));
  }
  return writePixels(pixels);
}
