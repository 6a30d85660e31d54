import sharp from 'sharp';
import { QUARTERS, quarterAt, type Size } from './quarters.ts';

/** The kind of samples in an image made by {@link sceneOf}. */
export type SceneKind = 'colours' | 'alpha' | 'multiplied alpha' | 'opaque alpha' | 'grey';

const MAX_SAMPLE = 65_535;

/**
 * Makes a PNG of the quarters' colours. Gradients and fine lines make all areas look different, so that a comparison
 * notices even a shift by one pixel.
 *
 * @param bits the bits per sample of the PNG
 * @param kind `grey`, or colours with or without an alpha channel. Alpha is opaque or increases from left to right; for
 *   `multiplied alpha`, the colours are multiplied by it
 */
export function sceneOf(size: Size, bits: 8 | 16, kind: SceneKind = 'colours'): Promise<Buffer> {
  const { width, height } = size;
  const hasAlpha = kind.endsWith('alpha');
  const channels = kind === 'grey' ? 1 : hasAlpha ? 4 : 3;
  const samples = new Uint16Array(channels * width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += channels) {
      const [red, green, blue] = QUARTERS[quarterAt(x, y, size)];
      // The brightness increases towards the bottom right corner, and there is a bright line every seven pixels.
      const light = 0.55 + (0.3 * x) / width + (0.15 * y) / height + ((x + 3 * y) % 7 === 0 ? 0.06 : 0);
      const alpha = kind === 'opaque alpha' ? 1 : (x + 1) / width;
      const scale = light * 257 * (kind === 'multiplied alpha' ? alpha : 1);
      if (kind === 'grey') samples[at] = (0.3 * red + 0.6 * green + 0.1 * blue) * scale;
      else {
        samples[at] = Math.min(MAX_SAMPLE, red * scale);
        samples[at + 1] = Math.min(MAX_SAMPLE, green * scale);
        samples[at + 2] = Math.min(MAX_SAMPLE, blue * scale);
        if (hasAlpha) samples[at + 3] = alpha * MAX_SAMPLE;
      }
    }
  }
  const raw = { ...size, channels } as const;
  const space = kind === 'grey' ? 'b-w' : 'srgb';
  const bytes = bits === 16 ? samples : Uint8Array.from(samples, (sample) => sample >> 8);
  const image = sharp(bytes, { raw }).toColourspace(bits === 16 ? (kind === 'grey' ? 'grey16' : 'rgb16') : space);
  return image.png({ compressionLevel: 1 }).toBuffer();
}
