/** Number of blocks on each side of a {@link Fingerprint}. */
export const GRID = 8;

/** The background behind transparent pixels. It differs from both white and black. */
const BACKGROUND = 128;

/**
 * An image in a form in which images of different sizes can be compared: the mean red, green and blue (0 to 255) of 8 × 8
 * blocks, row by row.
 */
export type Fingerprint = readonly number[];

/**
 * Computes the fingerprint of an image.
 *
 * @param pixels three or four bytes a pixel, row by row
 */
export function fingerprintOf(pixels: Uint8Array, width: number, height: number, channels: 3 | 4): Fingerprint {
  const fingerprint: number[] = [];
  for (let row = 0; row < GRID; row += 1) {
    for (let column = 0; column < GRID; column += 1) {
      const sums = [0, 0, 0];
      const [left, right] = rangeOf(column, width);
      const [top, bottom] = rangeOf(row, height);
      for (let y = top; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1) {
          const at = (y * width + x) * channels;
          const alpha = channels === 4 ? (pixels[at + 3] ?? 0) / 255 : 1;
          for (const channel of [0, 1, 2])
            sums[channel] = (sums[channel] ?? 0) + BACKGROUND + alpha * ((pixels[at + channel] ?? 0) - BACKGROUND);
        }
      }
      fingerprint.push(...sums.map((sum) => Math.round(sum / ((right - left) * (bottom - top)))));
    }
  }
  return fingerprint;
}

/**
 * Returns the range of pixels that a block covers along one side, at least one pixel. If the side has fewer pixels than
 * blocks, neighbouring blocks share a pixel.
 */
function rangeOf(block: number, side: number): readonly [from: number, to: number] {
  const from = Math.floor((block * side) / GRID);
  return [from, Math.max(from + 1, Math.floor(((block + 1) * side) / GRID))];
}

/**
 * Maximum mean difference of all blocks: lossy codecs change colours less than this, but mistaking BT.601 for BT.709
 * changes them more.
 */
const MAX_MEAN = 8;
/**
 * Maximum difference of a single block. It is larger than the maximum mean, because the blurred edge of a subsampled
 * colour may lie in the block.
 */
const MAX_BLOCK = 72;

/**
 * Whether two images look the same.
 *
 * @param leniency a factor for both limits
 */
export function looksLike(one: Fingerprint, other: Fingerprint, leniency = 1): boolean {
  const { mean, max } = differenceOf(one, other);
  return mean <= MAX_MEAN * leniency && max <= MAX_BLOCK * leniency;
}

/**
 * Returns the mean and the maximum of the differences between corresponding blocks. The difference between two blocks
 * is that of the channel in which they differ most.
 */
function differenceOf(one: Fingerprint, other: Fingerprint): { readonly mean: number; readonly max: number } {
  const blocks = Array.from({ length: GRID * GRID }, (_, block) =>
    Math.max(
      ...[0, 1, 2].map((channel) => Math.abs((one[3 * block + channel] ?? 0) - (other[3 * block + channel] ?? 0))),
    ),
  );
  return { mean: blocks.reduce((sum, value) => sum + value, 0) / blocks.length, max: Math.max(...blocks) };
}

/** Returns the colours in the middle of the four quarters, for reports. */
export function summaryOf(fingerprint: Fingerprint): string {
  const blocks = [2 * GRID + 2, 2 * GRID + 5, 5 * GRID + 2, 5 * GRID + 5];
  return blocks.map((block) => `(${fingerprint.slice(3 * block, 3 * block + 3).join(',')})`).join(' ');
}
