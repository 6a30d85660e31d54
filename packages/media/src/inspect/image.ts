import type { ByteSource, ImageDetails, MediaType } from '@postshelf/domain';
import { Damaged, FIRST_FETCH, ForwardReader, Unreadable } from '@postshelf/domain/formats';
import { turns } from '../turns.ts';
import { checkedDimensions, type Dimensions, type ImageType, type WalkedImage } from './dimensions.ts';
import { walkGif } from './gif.ts';
import { walkJpeg } from './jpeg.ts';
import type { PixelCheck } from './pixels-decode.ts';
import { walkPng } from './png.ts';
import { walkWebp } from './webp.ts';

const WALKS: Readonly<Record<ImageType, (reader: ForwardReader) => Promise<WalkedImage>>> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/gif': walkGif,
  'image/webp': walkWebp,
};

const walk = (type: ImageType, source: ByteSource, fetch?: number): Promise<WalkedImage> =>
  WALKS[type](new ForwardReader(source, { turn: () => turns.next(), ...(fetch !== undefined && { fetch }) }));

export interface ImageFacts extends Dimensions {
  readonly details: ImageDetails;
}

/**
 * Walks an image from its beginning to its end. Decodes it only if it has no end marker. Returns its displayed
 * dimensions and its details.
 *
 * @param pixelsDecode checks an image without an end marker; by default such an image counts as incomplete
 * @throws Unreadable if the file isn't an image, {@link Damaged} if only its beginning is valid, Unsupported if
 *   browsers can't show it; whatever `source.read` and `pixelsDecode` throw
 */
export async function readImage(
  type: ImageType,
  source: ByteSource,
  pixelsDecode: PixelCheck = async () => false,
): Promise<ImageFacts> {
  const image = await walk(type, source);
  const shown = shownFacts(image);
  if (!image.hasEnd && !(await pixelsDecode(type, source))) throw new Damaged('The image ends early.');
  return shown;
}

function shownFacts({ width, height, orientation, details }: WalkedImage): ImageFacts {
  // Orientations 5 to 8 include a quarter turn.
  const shown = orientation >= 5 ? checkedDimensions(height, width) : checkedDimensions(width, height);
  return { ...shown, details };
}

/** Whether images of a type have an end marker. All do except WebP, which states its length at the beginning. */
export const endsByMarker = (type: MediaType): type is ImageType => isImageType(type) && type !== 'image/webp';

/**
 * Like {@link readImage}, but reads no byte twice, and holds as few bytes in memory as possible.
 *
 * @returns null if the image has no end marker
 */
export async function readArrivingImage(type: ImageType, source: ByteSource): Promise<ImageFacts | null> {
  const image = await walk(type, source, FIRST_FETCH);
  return image.hasEnd ? shownFacts(image) : null;
}

/** Returns the EXIF orientation, 1 to 8. Throws if the image can't be read. */
export async function readOrientation(type: MediaType, source: ByteSource): Promise<number> {
  if (!isImageType(type)) throw new Unreadable('Not an image.');
  return (await walk(type, source)).orientation;
}

export const isImageType = (type: MediaType): type is ImageType => Object.hasOwn(WALKS, type);
