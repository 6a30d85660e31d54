import type { Size } from './canvas.ts';

/**
 * A part of an image or video as displayed, in fractions of its width and height. `x` and `y` are the upper left
 * corner.
 */
export interface FitCrop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Sums of fractions that programs compute may be just above 1. */
const ROUNDING = 1e-6;

/** Whether the part lies inside the image and isn't empty. */
export const isPart = ({ x, y, width, height }: FitCrop): boolean =>
  x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= 1 + ROUNDING && y + height <= 1 + ROUNDING;

/** Returns the size of the part in pixels, at least 1 × 1. */
export const sizeOfPart = ({ width, height }: Size, crop: FitCrop | null): Size =>
  crop === null
    ? { width, height }
    : { width: Math.max(1, Math.round(width * crop.width)), height: Math.max(1, Math.round(height * crop.height)) };
