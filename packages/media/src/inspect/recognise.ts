import { type ByteSource, isMediaType, type MediaType, type UnsupportedFile } from '@postshelf/domain';
import { readBeginning } from '@postshelf/domain/formats';
import { otherBeginning, otherText, otherType } from './other-types.ts';

export const HEAD_LENGTH = 4100;

/** MIME types by which file-type reports variants of an accepted type. */
const ALIASES: Readonly<Record<string, MediaType>> = { 'image/apng': 'image/png' };

/** Types that are recognised by their boxes instead of by file-type, which reads only the first box. */
const BOXED = new Set(['video/mp4', 'video/quicktime', 'video/x-m4v']);

/**
 * Returns the media type that the first bytes indicate, or a description of an unsupported type; null if the bytes are
 * unknown. Never throws.
 */
export async function recognise(head: Uint8Array): Promise<MediaType | UnsupportedFile | null> {
  if (isJpeg(head)) return 'image/jpeg';
  const beginning = await readBeginning(sourceOf(head));
  // The boxes that determine the type are beyond these bytes. Until they are read, the file counts as a QuickTime
  // video.
  if (beginning === 'open') return 'video/quicktime';
  if (beginning !== null) return 'type' in beginning ? beginning.type : otherBeginning(beginning);
  const mime = (await detect(head.subarray(0, HEAD_LENGTH)))?.mime ?? (isTiff(head) ? 'image/tiff' : undefined);
  // file-type reports an SVG or a page as XML if it starts with an XML declaration.
  if (mime === undefined || mime === 'application/xml') return otherText(head);
  if (BOXED.has(mime)) return null;
  if (isMediaType(mime)) return mime;
  return ALIASES[mime] ?? otherType(mime);
}

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/**
 * Whether the file is a JPEG, by file-type's own rule. This check comes first, because file-type would try about a
 * hundred other types before JPEG. 0xf7 would make the file a JPEG-LS.
 */
const isJpeg = (head: Uint8Array): boolean =>
  head.length >= 12 && head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff && head[3] !== 0xf7;

/**
 * Whether the file has the signature of a TIFF (TIFF 6.0, section 2). file-type also follows the offset to the first
 * directory, to tell raw photos from TIFFs. Most programs write the directory behind the pixels, where it finds none.
 */
const isTiff = (head: Uint8Array): boolean => ['II*\0', 'MM\0*'].includes(String.fromCharCode(...head.subarray(0, 4)));

let detector: Promise<typeof import('file-type')> | undefined;

async function detect(head: Uint8Array) {
  // The module is loaded only with the first file, because it knows hundreds of types. It is then kept.
  detector ??= import('file-type');
  const { fileTypeFromBuffer } = await detector;
  try {
    return await fileTypeFromBuffer(head);
  } catch {
    // The detector throws for some files of a type that it doesn't know.
    return undefined;
  }
}
