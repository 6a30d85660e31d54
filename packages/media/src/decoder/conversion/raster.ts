/**
 * Decoded samples in rows: red, green, blue and, if there are four channels, alpha. Colours aren't multiplied by alpha.
 */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  /** Number of samples from the beginning of a row to the beginning of the next. */
  readonly stride: number;
  /** A `Uint8Array` for samples of 8 bits, a `Uint16Array` for samples of more. */
  readonly samples: Uint8Array | Uint16Array;
  readonly bits: number;
}

/** Whether any pixel is transparent. Samples must have 8 bits. */
export function isTransparent({ width, height, channels, stride, samples }: Raster): boolean {
  if (channels === 3) return false;
  for (let y = 0; y < height; y += 1) {
    const end = y * stride + 4 * width;
    for (let at = y * stride + 3; at < end; at += 4) if (samples[at] !== 255) return true;
  }
  return false;
}

/** Returns a part of a raster, clamped to its edges, without copying it. */
export function cropped(raster: Raster, left: number, top: number, width: number, height: number): Raster {
  const inside = (value: number, max: number): number => Math.max(0, Math.min(Math.round(value), max));
  const [x, y] = [inside(left, raster.width - 1), inside(top, raster.height - 1)];
  return {
    ...raster,
    width: Math.max(1, inside(width, raster.width - x)),
    height: Math.max(1, inside(height, raster.height - y)),
    samples: raster.samples.subarray(y * raster.stride + x * raster.channels),
  };
}

const FILE_HEADER = 14;
/** The length of `BITMAPV4HEADER`. This header has masks, so the bytes of a pixel can stay in their order. */
const HEADER = 108;
const BIT_FIELDS = 3;
const MASKS = [0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000] as const;

/**
 * Returns a BMP, the form in which Bun takes pixels with the least work. The BMP is opaque unless alpha is kept.
 *
 * @param raster with 8 bits
 */
export function bitmapOf({ width, height, channels, stride, samples }: Raster, keepsAlpha: boolean): Uint8Array {
  const row = channels === 4 ? 4 * width : (3 * width + 3) & ~3;
  const start = FILE_HEADER + HEADER;
  const file = Buffer.alloc(start + row * height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(start, 10);
  file.writeUInt32LE(HEADER, FILE_HEADER);
  file.writeInt32LE(width, FILE_HEADER + 4);
  // A negative height puts the first row at the top.
  file.writeInt32LE(-height, FILE_HEADER + 8);
  file.writeUInt16LE(1, FILE_HEADER + 12);
  file.writeUInt16LE(8 * channels, FILE_HEADER + 14);
  if (channels === 4) {
    file.writeUInt32LE(BIT_FIELDS, FILE_HEADER + 16);
    for (const [index, mask] of MASKS.entries())
      if (index < 3 || keepsAlpha) file.writeUInt32LE(mask, FILE_HEADER + 40 + 4 * index);
  }
  for (let y = 0; y < height; y += 1) {
    const [from, to] = [y * stride, start + y * row];
    if (channels === 4) file.set(samples.subarray(from, from + row), to);
    else copyReversed(samples, from, file, to, width);
  }
  return file;
}

/** Copies samples in reverse, because a BMP with three bytes per pixel has blue first. */
function copyReversed(samples: Raster['samples'], from: number, file: Uint8Array, to: number, width: number): void {
  for (let x = 0; x < 3 * width; x += 3) {
    file[to + x] = samples[from + x + 2] ?? 0;
    file[to + x + 1] = samples[from + x + 1] ?? 0;
    file[to + x + 2] = samples[from + x] ?? 0;
  }
}

/** Reverses the multiplication of colours by alpha, in place. */
export function divideByAlpha({ width, height, stride, samples, bits }: Raster): void {
  const max = 2 ** bits - 1;
  for (let y = 0; y < height; y += 1) {
    const end = y * stride + 4 * width;
    for (let at = y * stride; at < end; at += 4) {
      const alpha = samples[at + 3] ?? max;
      if (alpha === max || alpha === 0) continue;
      for (let channel = at; channel < at + 3; channel += 1)
        samples[channel] = Math.min(max, Math.round(((samples[channel] ?? 0) * max) / alpha));
    }
  }
}
