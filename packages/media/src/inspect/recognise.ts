import { isMediaType, type MediaType } from '@postshelf/domain';

/** What file-type wants to see of a file. */
export const HEAD_LENGTH = 4100;

/** Names under which file-type reports what counts as one of the six types. */
const ALIASES: Readonly<Record<string, MediaType>> = {
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
};

/** The media type that the first bytes claim; null for any other. Never throws. */
export async function recognise(head: Uint8Array): Promise<MediaType | null> {
  if (isJpeg(head)) return 'image/jpeg';
  const mime = (await detect(head.subarray(0, HEAD_LENGTH)))?.mime;
  if (mime === undefined) return null;
  if (isMediaType(mime)) return mime;
  return ALIASES[mime] ?? null;
}

/**
 * Whether the bytes begin as a JPEG, as file-type would report it. It tries about a hundred types first, which for most
 * files costs more than walking them. (With 0xf7 it is a JPEG-LS, which is another type.)
 */
const isJpeg = (head: Uint8Array): boolean =>
  head.length >= 12 && head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff && head[3] !== 0xf7;

let detector: Promise<typeof import('file-type')> | undefined;

async function detect(head: Uint8Array) {
  // Loaded with the first file, as it knows hundreds of types, and kept.
  detector ??= import('file-type');
  const { fileTypeFromBuffer } = await detector;
  try {
    return await fileTypeFromBuffer(head);
  } catch {
    // Bytes at which the detector throws are bytes that it doesn't know.
    return undefined;
  }
}
