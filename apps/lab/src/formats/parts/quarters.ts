/** Red, green and blue. */
export type Colour = readonly [red: number, green: number, blue: number];

/** The colours of a specimen's quarters. They make every rotation, reflection and swap of channels visible. */
export const QUARTERS: readonly [Colour, Colour, Colour, Colour] = [
  [200, 60, 50],
  [60, 170, 80],
  [50, 80, 200],
  [225, 215, 200],
];

/** Other colours, for parts that must not be shown: a track that is disabled, a preview inside a file. */
export const OTHERS: typeof QUARTERS = [
  [20, 20, 20],
  [200, 200, 30],
  [180, 40, 190],
  [40, 190, 190],
];

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const quarterAt = (x: number, y: number, { width, height }: Size): 0 | 1 | 2 | 3 =>
  y < height / 2 ? (x < width / 2 ? 0 : 1) : x < width / 2 ? 2 : 3;

/** Returns three bytes per pixel, row by row. */
export function pixelsOf(size: Size, colours = QUARTERS): Uint8Array {
  const pixels = new Uint8Array(3 * size.width * size.height);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) pixels.set(colours[quarterAt(x, y, size)], 3 * (y * size.width + x));
  }
  return pixels;
}
