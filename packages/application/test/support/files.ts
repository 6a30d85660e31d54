import { damagedFakeFile, fakeFile } from '@postshelf/testing/fakes';

/** Bytes of padding per file, so that everything an inspector reads at the start is in the first chunk. */
const PADDING = 100;

export const JPEG = fakeFile({ type: 'image/jpeg', width: 40, height: 30, time: null }, PADDING);
export const PNG = fakeFile({ type: 'image/png', width: 16, height: 9, time: null }, PADDING);
export const MP4 = fakeFile({ type: 'video/mp4', width: 1920, height: 1080, time: 75 }, PADDING);

/** A file that begins as a JPEG but isn't one. */
export const BROKEN_JPEG = new Uint8Array([...JPEG.subarray(0, 12), ...new TextEncoder().encode('no facts')]);

/** A JPEG that ends in the middle of its image data. */
export const DAMAGED_JPEG = damagedFakeFile({ type: 'image/jpeg', width: 40, height: 30, time: null });

export const TEXT = new TextEncoder().encode('Just a text, of no media type at all.');
