import { isMediaType, type MediaType, type UnsupportedFile } from '@postshelf/domain';
import { imageOfBrands, otherType } from './other-types.ts';

export const HEAD_LENGTH = 4100;

/** Other names by which file-type reports one of the six types. */
const ALIASES: Readonly<Record<string, MediaType>> = {
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
};

/** The media type that the first bytes claim, or what else the file is; null if that isn't known. Never throws. */
export async function recognise(head: Uint8Array): Promise<MediaType | UnsupportedFile | null> {
  if (isJpeg(head)) return 'image/jpeg';
  const image = imageOfBrands(head);
  if (image !== null) return image;
  const mime = (await detect(head.subarray(0, HEAD_LENGTH)))?.mime;
  if (mime === undefined) return null;
  if (isMediaType(mime)) return mime;
  return ALIASES[mime] ?? otherType(mime);
}

/** As file-type does, which tries about a hundred types first. 0xf7 makes it a JPEG-LS. */
const isJpeg = (head: Uint8Array): boolean =>
  head.length >= 12 && head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff && head[3] !== 0xf7;

let detector: Promise<typeof import('file-type')> | undefined;

async function detect(head: Uint8Array) {
  // Loaded with the first file, as it knows hundreds of types, and then kept.
  detector ??= import('file-type');
  const { fileTypeFromBuffer } = await detector;
  try {
    return await fileTypeFromBuffer(head);
  } catch {
    // The detector throws for some bytes, which are of no type that it knows.
    return undefined;
  }
}
