/** Size of the images in pixels: 12 megapixels, like photos from a phone. */
export const IMAGE = { width: 4000, height: 3000 };

/** Size of the images' previews in pixels. */
export const SIZE = { width: 320, height: 240 };

/**
 * Returns the order for the child process (packages/media/src/child/protocol.ts): a preview with the width of {@link
 * SIZE}, whose height follows from the height of the image.
 */
export const orderFor = (type: string, { width, height } = IMAGE): string =>
  JSON.stringify([
    { type, width, height, sizes: [{ width: SIZE.width, height: Math.round((SIZE.width * height) / width) }] },
  ]);
