/** The fraction `n / d`. Both are whole numbers, except in some overrides. */
export interface Quantity {
  readonly n: number;
  readonly d: number;
}

/** Compares by cross-multiplication, so that no division rounds. */
export const compare = (a: Quantity, b: Quantity): number => a.n * b.d - b.n * a.d;

/**
 * Whether one side of a size, in pixels, is the nearest possible to what the other side and a ratio require. Videos
 * have even sides, because their colours are stored for squares of four pixels.
 */
export function hasNearest({ n: width, d: height }: Quantity, ratio: Quantity, isVideo: boolean): boolean {
  const step = isVideo ? 2 : 1;
  return 2 * Math.abs(width * ratio.d - height * ratio.n) <= step * Math.max(ratio.n, ratio.d);
}
