/** The accepted types, by MIME type. */
export const MEDIA_TYPES = {
  'image/jpeg': { kind: 'image', extension: 'jpg' },
  'image/png': { kind: 'image', extension: 'png' },
  'image/gif': { kind: 'image', extension: 'gif' },
  'image/webp': { kind: 'image', extension: 'webp' },
  'video/mp4': { kind: 'video', extension: 'mp4' },
  'video/quicktime': { kind: 'video', extension: 'mov' },
} as const satisfies Record<string, { kind: 'image' | 'video'; extension: string }>;

export type MediaType = keyof typeof MEDIA_TYPES;
export type MediaKind = 'image' | 'video';

export const isMediaType = (mime: string): mime is MediaType => Object.hasOwn(MEDIA_TYPES, mime);

/** Names that browsers, including older ones, report for some of the types in `File.type`. */
const OTHER_SPELLINGS: Readonly<Record<string, MediaType>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/apng': 'image/png',
  'image/x-png': 'image/png',
  'video/x-m4v': 'video/mp4',
};

/**
 * Returns the accepted type that a MIME type names; null if it names none. Ignores case and parameters, as in
 * `video/mp4; codecs=avc1`, and understands every spelling that browsers use.
 */
export function readMediaType(mime: string): MediaType | null {
  const essence = mime.replace(/;.*$/s, '').trim().toLowerCase();
  if (isMediaType(essence)) return essence;
  return Object.hasOwn(OTHER_SPELLINGS, essence) ? (OTHER_SPELLINGS[essence] ?? null) : null;
}

export const kindOf = (type: MediaType): MediaKind => MEDIA_TYPES[type].kind;
export const extensionOf = (type: MediaType): string => MEDIA_TYPES[type].extension;

export const WRONG_TYPE = 'must be a file of type: jpeg, png, gif, webp, mp4, mov.';

/** Completes a sentence: "The files.0 is damaged: …" */
export const DAMAGED = 'is damaged: its media data is incomplete.';
