import type { Uuid } from '../ids.ts';
import { codePointLength, firstCodePoints, isInvisible, isLongerThan, stripUnsafe } from '../text.ts';
import { STORED_INSTEAD } from './converted-type.ts';
import { NAME_LENGTH } from './limits.ts';
import { MAX_NAME_BYTES } from './object-key.ts';
import { extensionOf, type MediaType } from './types.ts';

const FALLBACK = 'file';
const PATH_SEPARATORS = /[/\\\u2044\u2215\u29f8\uff0f\uff3c]/g;
/** Matches an extension; `v1.2` has none. */
const ANY_EXTENSION = /\.(?=[0-9]*[a-z])[a-z0-9]{1,8}$/i;
const TYPES_BY_EXTENSION: Readonly<Record<string, MediaType>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  qt: 'video/quicktime',
  // Images with these extensions become JPEGs, unless they are transparent.
  heic: STORED_INSTEAD[0],
  heif: STORED_INSTEAD[0],
  hif: STORED_INSTEAD[0],
  avif: STORED_INSTEAD[0],
};
const MEDIA_EXTENSION = new RegExp(`\\.(${Object.keys(TYPES_BY_EXTENSION).join('|')})$`, 'i');
/**
 * Stems are cut to this many code points before NFC, which takes quadratic time on unordered marks. NFC joins at most
 * four code points into one, so a stem that is too long stays too long.
 */
const MAX_RAW_STEM = 4 * NAME_LENGTH.max + 1;
const MAX_EXTENSION_BYTES = 5;
/**
 * Maximum length of a name in a request to rename an item, in code points. It leaves room for the longest extension.
 */
export const MAX_RENAME_LENGTH = NAME_LENGTH.max + MAX_EXTENSION_BYTES;

const encoder = new TextEncoder();

/**
 * Returns the last path component with the extension of the actual type. Control characters and bidi overrides are
 * removed, and so are dots at both ends. If nothing is left of the name, it is `file`, with the extension.
 */
export function nameFromFileName(fileName: string, type: MediaType): string {
  const last = stripUnsafe(fileName).split(PATH_SEPARATORS).at(-1) ?? '';
  return withExtension(fitStem(stemOf(last, ANY_EXTENSION)), type);
}

/**
 * Returns the media type that belongs to a file name's extension; null if there is none. The file's bytes may turn out
 * to be of another type.
 */
export const promisedType = (fileName: string): MediaType | null =>
  TYPES_BY_EXTENSION[MEDIA_EXTENSION.exec(trimDotsAtEnd(fileName))?.[1]?.toLowerCase() ?? ''] ?? null;

/**
 * Returns a name that a user typed, with the extension of the file's type. Only a media extension is replaced: "Sale
 * 50.off" keeps its end.
 */
export function nameFromInput(name: string, type: MediaType): string {
  return withExtension(inputStem(name), type);
}

/**
 * Returns a name that a user typed, without its media extension and without characters that aren't allowed in names;
 * may be empty.
 */
export const inputStem = (name: string): string =>
  stemOf(stripUnsafe(name).replace(PATH_SEPARATORS, '-'), MEDIA_EXTENSION);

/**
 * Returns why a new item can't have the name that a user typed, as the end of a sentence; null if it can. Every
 * character that was sent counts, including those of an extension.
 */
export const problemOfNewName = (name: string): string | null => problemOfName(name, name, NAME_LENGTH.min);

/**
 * Returns why an item can't get the name, as {@link problemOfNewName} does. The item's own extension doesn't count
 * towards the length, and one character is enough, so that a client can send back the name of any upload.
 *
 * @param current the item's current name, whose extension doesn't count
 */
export function problemOfRename(name: string, current: string): string | null {
  const [own = ''] = MEDIA_EXTENSION.exec(current) ?? [];
  const hasOwn = own !== '' && name.slice(-own.length).toLowerCase() === own.toLowerCase();
  return problemOfName(name, hasOwn ? name.slice(0, -own.length) : name, 1);
}

function problemOfName(name: string, text: string, min: number): string | null {
  if (isLongerThan(text, NAME_LENGTH.max)) return `must not be greater than ${NAME_LENGTH.max} characters.`;
  if (codePointLength(text) < min) return min === 1 ? 'is required.' : `must be at least ${min} characters.`;
  return isInvisible(inputStem(name)) ? 'must contain a visible character besides its extension.' : null;
}

function stemOf(name: string, extension: RegExp): string {
  // The end is trimmed before the extension is removed, because `photo.jpg ` also has an extension.
  const stem = trimDots(trimDotsAtEnd(name).replace(extension, ''));
  // NFC comes last, because a removed control character may have separated a letter from its accent.
  return firstCodePoints(stem, MAX_RAW_STEM).normalize('NFC');
}

function withExtension(stem: string, type: MediaType): string {
  const short = firstCodePoints(trimDots(stem), NAME_LENGTH.max);
  return `${trimDots(short) || FALLBACK}.${extensionOf(type)}`;
}

/** Removes dots at both ends, because they hide a file or vanish on some systems. */
const trimDots = (text: string): string => trimDotsAtEnd(text).replace(/^[\s.]+/u, '');

/**
 * Removes dots and white space at the end. `/[\s.]+$/` would take quadratic time on a run of dots that is followed by a
 * letter.
 */
function trimDotsAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Returns the key of an item's object. The key never changes: a later rename changes only `name`. A name of more than
 * 255 bytes in UTF-8 is shortened in the key.
 */
export function fullNameOf(workspace: Uuid, id: Uuid, name: string): string {
  return `${workspace}/${id}/${fitSegment(name)}`;
}

function fitSegment(name: string): string {
  if (encoder.encode(name).length <= MAX_NAME_BYTES) return name;
  // An import's name has no extension before its type is known.
  const [extension = ''] = MEDIA_EXTENSION.exec(name) ?? [];
  return trimDots(fitStem(name.slice(0, name.length - extension.length))) + extension;
}

function fitStem(stem: string): string {
  let room = MAX_NAME_BYTES - MAX_EXTENSION_BYTES;
  if (stem.length * 3 <= room) return stem;
  let fitting = '';
  for (const character of stem) {
    room -= encoder.encode(character).length;
    if (room < 0) break;
    fitting += character;
  }
  return fitting;
}

/** Unreserved characters (RFC 3986 section 2.3) need no encoding. */
const PLAIN = /^[\w.~/-]*$/;

/**
 * Returns an item's link, percent-encoded by segment (RFC 3986 section 2).
 *
 * @param mediaBase without a trailing slash
 */
export function linkOf(mediaBase: string, fullName: string): string {
  if (PLAIN.test(fullName)) return `${mediaBase}/${fullName}`;
  const path = fullName.split('/').map(encodeSegment).join('/');
  return `${mediaBase}/${path}`;
}

/**
 * Encodes a segment, including `!'()*`, which `encodeURIComponent` doesn't encode and at which mail programs and
 * Markdown end links.
 */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
