/// <reference path="./probe-image-size.d.ts" />
import type { ByteSource, MediaType } from '@postshelf/domain';
import probe from 'probe-image-size/sync.js';
import { BoundedReader, Unreadable } from './bounded-reader.ts';
import { checkedDimensions, type Dimensions, type ImageHeaders } from './dimensions.ts';
import { gifHeaders } from './gif.ts';
import { jpegHeaders } from './jpeg.ts';
import { pngHeaders } from './png.ts';
import { webpHeaders, webpOfExif } from './webp.ts';

export type ImageType = Extract<MediaType, `image/${string}`>;

const HEADERS: Readonly<Record<ImageType, (reader: BoundedReader) => Promise<ImageHeaders>>> = {
  'image/jpeg': jpegHeaders,
  'image/png': pngHeaders,
  'image/gif': gifHeaders,
  'image/webp': webpHeaders,
};

/** Camera files put megabytes of profiles and previews before the JPEG frame header, but not this many. */
const LIMITS = { budget: 32 * 1024 * 1024, window: 64 * 1024 };

/** An image's dimensions as displayed. Throws `Unreadable` when it has none, and what `source.read` throws. */
export async function readImage(type: ImageType, source: ByteSource): Promise<Dimensions> {
  const { image, exif } = await HEADERS[type](new BoundedReader(source, LIMITS));
  // probe-image-size wants a file in one piece, and gets one of the few headers that matter.
  const found = probe(image);
  if (found === null) throw new Unreadable('The image has no dimensions.');
  const { width, height } = found;
  const orientation = (exif ? probe(webpOfExif(exif)) : found)?.orientation ?? 1;
  // EXIF orientations 5 to 8 turn the image by a quarter.
  return orientation >= 5 ? checkedDimensions(height, width) : checkedDimensions(width, height);
}
