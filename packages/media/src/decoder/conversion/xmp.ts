/**
 * Maximum bytes; longer XMP is left out. A JPEG's segment has no room for it, and programs write the rest elsewhere.
 */
const MAX_LENGTH = 60_000;

/** Properties that describe other images in the file: gain maps and depth. They aren't in the copy. */
const OF_OTHER_IMAGES = /hdrgm:|HDRGainMap|GContainer|Container:Directory|GDepth|GCamera:/;

const ORIENTATION = /(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8]/g;

/** Returns the XMP for a file's upright copy; null if it would contain statements that don't hold for the copy. */
export function xmpForCopy(xmp: Uint8Array): Uint8Array | null {
  if (xmp.length > MAX_LENGTH) return null;
  // Latin-1 maps every byte to a character and back.
  const text = Buffer.from(xmp).toString('latin1');
  return OF_OTHER_IMAGES.test(text) ? null : Buffer.from(text.replace(ORIENTATION, '$11'), 'latin1');
}
