/// <reference path="./probe-image-size.d.ts" />
import type { ByteSource, ImageDetails, MediaType } from '@postshelf/domain';
import probe from 'probe-image-size/sync.js';
import { Unreadable } from './bounded-reader.ts';
import { checkedDimensions, type Dimensions, type WalkedImage } from './dimensions.ts';
import { ForwardReader } from './forward-reader.ts';
import { walkGif } from './gif.ts';
import { walkJpeg } from './jpeg.ts';
import { walkPng } from './png.ts';
import { walkWebp, webpOfExif } from './webp.ts';

export type ImageType = Extract<MediaType, `image/${string}`>;

const WALKS: Readonly<Record<ImageType, (reader: ForwardReader) => Promise<WalkedImage>>> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/gif': walkGif,
  'image/webp': walkWebp,
};

export interface ImageFacts extends Dimensions {
  readonly details: ImageDetails;
}

/**
 * Walks an image from its beginning to its end, by its lengths and markers; nothing is decoded. Returns its displayed
 * dimensions and its details. Throws {@link Unreadable} if it isn't an image, `Damaged` if its beginning is valid and
 * the rest isn't complete, and what `source.read` throws.
 */
export async function readImage(type: ImageType, source: ByteSource): Promise<ImageFacts> {
  const { details, ...headers } = await WALKS[type](new ForwardReader(source));
  return { ...dimensionsOf(headers), details };
}

/** probe-image-size needs a whole file in memory, so it gets one made of the few headers that matter. */
function dimensionsOf({ image, exif }: Omit<WalkedImage, 'details'>): Dimensions {
  const found = probe(image);
  if (found === null) throw new Unreadable('The image has no dimensions.');
  const { width, height } = found;
  // EXIF orientations 5 to 8 include a quarter turn.
  return orientationOf({ image, ...(exif && { exif }) }) >= 5
    ? checkedDimensions(height, width)
    : checkedDimensions(width, height);
}

const orientationOf = ({ image, exif }: Omit<WalkedImage, 'details'>): number =>
  probe(exif ? webpOfExif(exif) : image)?.orientation ?? 1;

/**
 * The EXIF orientation, 1 to 8, that {@link readImage} applied to the dimensions. Throws if the image can't be read.
 */
export async function readOrientation(type: MediaType, source: ByteSource): Promise<number> {
  if (!isImageType(type)) throw new Unreadable('Not an image.');
  return orientationOf(await WALKS[type](new ForwardReader(source)));
}

const isImageType = (type: MediaType): type is ImageType => Object.hasOwn(WALKS, type);
