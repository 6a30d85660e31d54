/** Pixels of the pictures: 12 megapixels, as a phone makes them. */
export const PICTURE = { width: 4000, height: 3000 };

/** Pixels of their previews. */
export const SIZE = { width: 320, height: 240 };

/** What the child is told to make (packages/media/src/previews/protocol.ts). */
export const orderFor = (type: string): string => JSON.stringify({ type, ...PICTURE, sizes: [SIZE] });
