import type { ImageDetails } from '@postshelf/domain';
import { Unreadable } from './bounded-reader.ts';

export interface Dimensions {
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

/** Pixels of one side: what JPEG and GIF can say at most. PNG and WebP can say more, but no program displays it. */
const MAX_SIDE = 65_535;

/** The dimensions, once both sides are whole and from 1 to 65,535. Throws {@link Unreadable} otherwise. */
export function checkedDimensions(width: number, height: number): Dimensions {
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > MAX_SIDE) throw new Unreadable('The dimensions are absurd.');
  }
  return { width, height };
}

/** What is found in an image whose media data is all there. */
export interface WalkedImage {
  /** The parts that say how large it is displayed, as a small image of the same format. */
  readonly image: Uint8Array;
  /** A TIFF block with the orientation (EXIF 2.32, tag 0x0112), where the format keeps it apart. */
  readonly exif?: Uint8Array;
  readonly details: ImageDetails;
}
