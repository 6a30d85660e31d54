import type { ByteSource, MediaType } from '@postshelf/domain';
import { BoundedReader, Unreadable } from './bounded-reader.ts';
import { checkedDimensions, type Dimensions } from './dimensions.ts';
import { checkGifBlocks } from './gif.ts';
import { readPngOrientation } from './png.ts';
import { DONE, GifParser, JpegParser, NEED_MORE, PngParser, WebpParser } from './probe-parsers.ts';

export type ImageType = Extract<MediaType, `image/${string}`>;

const PARSERS = {
  'image/jpeg': JpegParser,
  'image/png': PngParser,
  'image/gif': GifParser,
  'image/webp': WebpParser,
} as const;

type ProbeParser = InstanceType<(typeof PARSERS)[ImageType]>;

/** Camera files put megabytes of profiles and previews before the JPEG frame header, but not this many. */
const LIMITS = { budget: 32 * 1024 * 1024, window: 64 * 1024 };

const ZEROS = new Uint8Array(LIMITS.window);

/** An image's dimensions as displayed. Throws `Unreadable` when it has none, and what `source.read` throws. */
export async function readImage(type: ImageType, source: ByteSource): Promise<Dimensions> {
  const reader = new BoundedReader(source, LIMITS);
  const parser = new PARSERS[type]();
  await feed(parser, reader);
  const result = parser.getResult();
  if (parser.getStatus() !== DONE || result === undefined) throw new Unreadable('The image has no dimensions.');

  let orientation = result.orientation ?? 1;
  if (type === 'image/jpeg') checkFrameHeader(parser);
  if (type === 'image/gif') await checkGifBlocks(reader);
  if (type === 'image/png') orientation = await readPngOrientation(reader);

  // EXIF orientations 5 to 8 turn the image by a quarter.
  if (orientation >= 5) return checkedDimensions(result.height, result.width);
  return checkedDimensions(result.width, result.height);
}

async function feed(parser: ProbeParser, reader: BoundedReader): Promise<void> {
  let offset = 0;
  while (parser.getStatus() === NEED_MORE && offset < reader.size) {
    const length = Math.min(LIMITS.window, reader.size - offset);
    // What the parser only counts need not be fetched: image data between two chunks of a WebP, mostly.
    const skipped = (parser.bytes_to_skip ?? 0) >= length;
    parser.push(skipped ? ZEROS.subarray(0, length) : await reader.read(offset, length));
    offset += length;
  }
}

/**
 * The parser looks for a frame header past any garbage, as decoders do, and in enough garbage it finds one. A true one
 * holds 6 bytes, and 3 for each of 1 to 4 components (ITU-T T.81, B.2.2).
 */
function checkFrameHeader(parser: ProbeParser): void {
  if (![9, 12, 15, 18].includes(parser.segment_bytes_left ?? 0)) throw new Unreadable('The JPEG has no frame header.');
}
