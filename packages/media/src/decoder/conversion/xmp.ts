/** Bytes: more isn't told. A segment of a JPEG has no room for it, and programs write the rest elsewhere. */
const MAX_LENGTH = 60_000;

/** What tells of other images in the file: gain maps and depth. They aren't in the copy. */
const OF_OTHER_IMAGES = /hdrgm:|HDRGainMap|GContainer|Container:Directory|GDepth|GCamera:/;

const ORIENTATION = /(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8]/g;

/** The XMP of a file for its upright copy; null if it would say what isn't true of it. */
export function xmpForCopy(xmp: Uint8Array): Uint8Array | null {
  if (xmp.length > MAX_LENGTH) return null;
  // Every byte is a character then, and the same byte again.
  const text = Buffer.from(xmp).toString('latin1');
  return OF_OTHER_IMAGES.test(text) ? null : Buffer.from(text.replace(ORIENTATION, '$11'), 'latin1');
}
