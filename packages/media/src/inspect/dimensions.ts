import type { ImageDetails } from '@postshelf/domain';
import { type ImageFrame, Unreadable } from '@postshelf/domain/formats';

export interface Dimensions {
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

/** Most pixels of one side, which is the limit of JPEG and GIF. PNG and WebP allow more, but no program displays it. */
const MAX_SIDE = 65_535;

/** The dimensions, if both are integers from 1 to 65,535. Throws {@link Unreadable} otherwise. */
export function checkedDimensions(width: number, height: number): Dimensions {
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > MAX_SIDE) throw new Unreadable('The dimensions are absurd.');
  }
  return { width, height };
}

/** The result of walking an image whose media data is complete. */
export interface WalkedImage extends ImageFrame {
  readonly details: ImageDetails;
}
