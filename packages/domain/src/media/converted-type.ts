import { type MediaType, readMediaType } from './types.ts';

/** Types of images that are taken, but stored as JPEG or PNG. HEIC and AVIF are kinds of HEIF, so `image/heif` is of any kind. */
export const CONVERTED_TYPES = ['image/heic', 'image/heif', 'image/avif'] as const;

export type ConvertedType = (typeof CONVERTED_TYPES)[number];

/** What a client may say that it sends. */
export type AnnouncedType = MediaType | ConvertedType;

/** What is stored instead. One without transparency is known to be a JPEG only once it is decoded. */
export const STORED_INSTEAD = ['image/jpeg', 'image/png'] as const satisfies readonly MediaType[];

export const isConvertedType = (type: string): type is ConvertedType =>
  (CONVERTED_TYPES as readonly string[]).includes(type);

/** As {@link readMediaType}, and those of images that are converted, also as they are called if they have several frames. */
export function readAnnouncedType(mime: string): AnnouncedType | null {
  const [essence = ''] = mime.split(';', 1);
  const name = essence
    .trim()
    .toLowerCase()
    .replace(/-sequence$/, '');
  return isConvertedType(name) ? name : readMediaType(mime);
}

/** Whether a file is what was announced. Programs call a HEIC file HEIF, and the reverse. */
export function isAnnounced(announced: AnnouncedType, type: AnnouncedType): boolean {
  if (announced === type) return true;
  if (!isConvertedType(announced) || !isConvertedType(type)) return false;
  return announced === 'image/heif' || type === 'image/heif';
}

/** The type that the name and the key of a file have until it is converted. */
export const typeInName = (announced: AnnouncedType): MediaType =>
  isConvertedType(announced) ? STORED_INSTEAD[0] : announced;
