import type { ByteSource, ImageDetails, MediaType } from '@postshelf/domain';
import { ForwardReader, Unreadable } from '@postshelf/domain/formats';
import { turns } from '../turns.ts';
import { checkedDimensions, type Dimensions, type WalkedImage } from './dimensions.ts';
import { walkGif } from './gif.ts';
import { walkJpeg } from './jpeg.ts';
import { walkPng } from './png.ts';
import { walkWebp } from './webp.ts';

export type ImageType = Extract<MediaType, `image/${string}`>;

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
 * Walks an image from its beginning to its end; nothing is decoded. Returns its displayed dimensions and its details.
 * Throws {@link Unreadable} if it isn't an image, `Damaged` if only its beginning is valid, and what `source.read`
 * throws.
 */
export async function readImage(type: ImageType, source: ByteSource): Promise<ImageFacts> {
  const { width, height, orientation, details } = await walk(type, source);
  // Orientations 5 to 8 include a quarter turn.
  return { ...(orientation >= 5 ? checkedDimensions(height, width) : checkedDimensions(width, height)), details };
}

/** The EXIF orientation, 1 to 8. Throws if the image can't be read. */
export async function readOrientation(type: MediaType, source: ByteSource): Promise<number> {
  if (!isImageType(type)) throw new Unreadable('Not an image.');
  return (await walk(type, source)).orientation;
}

const isImageType = (type: MediaType): type is ImageType => Object.hasOwn(WALKS, type);
