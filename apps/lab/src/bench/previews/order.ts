/** Pixels of the pictures: 12 megapixels, as a phone makes them. */
export const PICTURE = { width: 4000, height: 3000 };

/** Pixels of their previews. */
export const SIZE = { width: 320, height: 240 };

/** What the child is told to make (packages/media/src/previews/protocol.ts): one of {@link SIZE}, or as high as the picture asks. */
export const orderFor = (type: string, { width, height } = PICTURE): string =>
  JSON.stringify({
    type,
    width,
    height,
    sizes: [{ width: SIZE.width, height: Math.round((SIZE.width * height) / width) }],
  });
