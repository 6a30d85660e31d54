/** Pixels of the pictures: 12 megapixels, as a phone makes them. */
export const PICTURE = { width: 4000, height: 3000 };

/** Pixels of their previews. */
export const SIZE = { width: 320, height: 240 };

/** The order for the child process (packages/media/src/previews/protocol.ts): a preview of {@link SIZE}, its height by the picture's. */
export const orderFor = (type: string, { width, height } = PICTURE): string =>
  JSON.stringify([
    { type, width, height, sizes: [{ width: SIZE.width, height: Math.round((SIZE.width * height) / width) }] },
  ]);
