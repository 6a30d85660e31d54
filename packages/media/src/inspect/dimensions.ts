import { Unreadable } from './bounded-reader.ts';

export interface Dimensions {
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

/** Pixels of one side: what JPEG and GIF can say at most. PNG and WebP can say more, but nothing shows it. */
const MAX_SIDE = 65_535;

/** The dimensions, once both sides are whole and from 1 to 65,535. Throws {@link Unreadable} otherwise. */
export function checkedDimensions(width: number, height: number): Dimensions {
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > MAX_SIDE) throw new Unreadable('The dimensions are absurd.');
  }
  return { width, height };
}
