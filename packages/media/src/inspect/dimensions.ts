import type { ImageDetails } from '@postshelf/domain';
import { Unreadable } from './bounded-reader.ts';

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
export interface WalkedImage {
  /** The parts that determine its displayed dimensions, as a small image of the same format. */
  readonly image: Uint8Array;
  /** A TIFF block with the orientation (EXIF 2.32, tag 0x0112), if the format stores it separately. */
  readonly exif?: Uint8Array;
  readonly details: ImageDetails;
}
