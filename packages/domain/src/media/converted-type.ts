import { type MediaType, readMediaType } from './types.ts';

/**
 * Types of images that are accepted, but stored as JPEG or PNG. HEIC and AVIF are kinds of HEIF, so an `image/heif`
 * file may be of either kind, or of another one.
 */
export const CONVERTED_TYPES = ['image/heic', 'image/heif', 'image/avif'] as const;

export type ConvertedType = (typeof CONVERTED_TYPES)[number];

/** The types that a client may declare for a file. */
export type AnnouncedType = MediaType | ConvertedType;

/**
 * The types in which converted images are stored: JPEG for an image without transparency, otherwise PNG. Whether an
 * image is transparent is known only once it is decoded.
 */
export const STORED_INSTEAD = ['image/jpeg', 'image/png'] as const satisfies readonly MediaType[];

export const isConvertedType = (type: string): type is ConvertedType =>
  (CONVERTED_TYPES as readonly string[]).includes(type);

/**
 * Reads a type as {@link readMediaType} does. It also accepts the types of images that are converted, including their
 * names for image sequences, such as `image/heic-sequence`.
 */
export function readAnnouncedType(mime: string): AnnouncedType | null {
  const [essence = ''] = mime.split(';', 1);
  const name = essence
    .trim()
    .toLowerCase()
    .replace(/-sequence$/, '');
  return isConvertedType(name) ? name : readMediaType(mime);
}

/** Whether a file is of the declared type. Some programs call a HEIC file HEIF, and vice versa. */
export function isAnnounced(announced: AnnouncedType, type: AnnouncedType): boolean {
  if (announced === type) return true;
  if (!isConvertedType(announced) || !isConvertedType(type)) return false;
  return announced === 'image/heif' || type === 'image/heif';
}

/** Returns the type that determines the name and the key of a file until the file is converted. */
export const typeInName = (announced: AnnouncedType): MediaType =>
  isConvertedType(announced) ? STORED_INSTEAD[0] : announced;
