import type { ByteSource, ImageDetails, MediaType } from '@postshelf/domain';
import { Damaged, ForwardReader, Unreadable } from '@postshelf/domain/formats';
import { turns } from '../turns.ts';
import { checkedDimensions, type Dimensions, type ImageType, type WalkedImage } from './dimensions.ts';
import { walkGif } from './gif.ts';
import { walkJpeg } from './jpeg.ts';
import type { PixelCheck } from './pixel-check.ts';
import { walkPng } from './png.ts';
import { walkWebp } from './webp.ts';

const WALKS: Readonly<Record<ImageType, (reader: ForwardReader) => Promise<WalkedImage>>> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/gif': walkGif,
  'image/webp': walkWebp,
};

const walk = (type: ImageType, source: ByteSource): Promise<WalkedImage> =>
  WALKS[type](new ForwardReader(source, { turn: () => turns.next() }));

export interface ImageFacts extends Dimensions {
  readonly details: ImageDetails;
}

/**
 * Walks an image from its beginning to its end; only one without an end marker is decoded. Returns its displayed
 * dimensions and its details.
 *
 * @param pixelsDecode by default no image without an end marker is whole
 * @throws Unreadable if it isn't an image, {@link Damaged} if only its beginning is valid, Unsupported if browsers can't
 * show it; what `source.read` and `pixelsDecode` throw
 */
export async function readImage(
  type: ImageType,
  source: ByteSource,
  pixelsDecode: PixelCheck = async () => false,
): Promise<ImageFacts> {
  const { width, height, orientation, hasEnd, details } = await walk(type, source);
  // Orientations 5 to 8 include a quarter turn.
  const shown = orientation >= 5 ? checkedDimensions(height, width) : checkedDimensions(width, height);
  if (!hasEnd && !(await pixelsDecode(type, source))) throw new Damaged('The image ends early.');
  return { ...shown, details };
}

/** The EXIF orientation, 1 to 8. Throws if the image can't be read. */
export async function readOrientation(type: MediaType, source: ByteSource): Promise<number> {
  if (!isImageType(type)) throw new Unreadable('Not an image.');
  return (await walk(type, source)).orientation;
}

export const isImageType = (type: MediaType): type is ImageType => Object.hasOwn(WALKS, type);
