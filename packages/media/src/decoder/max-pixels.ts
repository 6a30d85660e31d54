import { MAX_JPEG_PIXELS } from '@postshelf/domain/formats';

/**
 * Maximum number of pixels of an image to decode. Only a few pixels of a JPEG are in memory at a time. Images of other
 * formats are in memory completely, with four bytes per pixel.
 */
export const MAX_PIXELS = { jpeg: MAX_JPEG_PIXELS, other: 100_000_000 } as const;

/** Maximum number of pixels of the still that ffmpeg makes a new version of an image from. */
export const MAX_STILL_PIXELS = 24_000_000;
