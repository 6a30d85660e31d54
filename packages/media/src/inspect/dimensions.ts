import type { ImageDetails, MediaType } from '@postshelf/domain';
import { type ImageFrame, Unreadable } from '@postshelf/domain/formats';

export type ImageType = Extract<MediaType, `image/${string}`>;

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** Maximum width and height of a JPEG or a GIF. PNG and WebP allow more, but no program displays such images. */
const MAX_SIDE = 65_535;

/** Checks dimensions: both have to be integers from 1 to 65,535. Throws {@link Unreadable}. */
export function checkedDimensions(width: number, height: number): Dimensions {
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > MAX_SIDE)
      throw new Unreadable('The dimensions are out of range.');
  }
  return { width, height };
}

export interface WalkedImage extends ImageFrame {
  /** Whether the image has an end marker. An image without one is still complete if all its pixels decode. */
  readonly hasEnd: boolean;
  readonly details: ImageDetails;
}
