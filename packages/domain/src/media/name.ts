import type { Uuid } from '../ids.ts';
import { firstCodePoints, stripUnsafe } from '../text.ts';
import { NAME_LENGTH } from './limits.ts';
import { MAX_NAME_BYTES } from './object-key.ts';
import { extensionOf, type MediaType } from './types.ts';

const FALLBACK = 'file';
const PATH_SEPARATORS = /[/\\\u2044\u2215\u29f8\uff0f\uff3c]/g;
/** What a file name carries as its extension: up to 8 letters and digits, one a letter (so `v1.2` has none). */
const ANY_EXTENSION = /\.(?=[0-9]*[a-z])[a-z0-9]{1,8}$/i;
const MEDIA_EXTENSION = /\.(?:jpe?g|jpe|jfif|png|gif|webp|mp4|m4v|mov|qt)$/i;
/**
 * Code points of a stem that are looked at, so that no text, however long, is normalised whole: NFC takes quadratic
 * time on combining marks out of order. It joins at most four code points into one, so what is cut here is too long.
 */
const MAX_RAW_STEM = 4 * NAME_LENGTH.max + 1;
/** `.webp` */
const MAX_EXTENSION_BYTES = 5;

const encoder = new TextEncoder();

/**
 * The name under which a file is kept: the last path component of what the client called it, without control
 * characters, bidi overrides or leading and trailing dots, at most 100 code points, NFC, with the extension that
 * the bytes call for in the place of its own (docs/api.md, "Upload media"), and at most 255 bytes of UTF-8, so that it is the end
 * of `full_name` as it stands. Never empty: `file.jpg` where nothing is left.
 */
export function nameFromFileName(fileName: string, type: MediaType): string {
  const last = stripUnsafe(fileName).split(PATH_SEPARATORS).at(-1) ?? '';
  return withExtension(fitStem(stemOf(last, ANY_EXTENSION)), type);
}

/**
 * The same for a name that a person typed (`name` in a body), which needs no extension: only that of a media file is
 * replaced, so that "Sale 50.off" keeps its end, and a path separator becomes a dash: "AC-DC live".
 */
export function nameFromInput(name: string, type: MediaType): string {
  return withExtension(inputStem(name), type);
}

/**
 * The part of a typed name that its length is counted by: cleaned, without a media file's extension, and without dots and
 * white space at its ends. One that is far too long is cut to {@link MAX_RAW_STEM} code points, which is still too long.
 */
export const inputStem = (name: string): string =>
  stemOf(stripUnsafe(name).replace(PATH_SEPARATORS, '-'), MEDIA_EXTENSION);

function stemOf(name: string, extension: RegExp): string {
  // The end first: `photo.jpg ` has an extension too.
  const stem = trimDots(trimDotsAtEnd(name).replace(extension, ''));
  // Normalised last: a control character that is dropped may have kept a letter and its accent apart.
  return firstCodePoints(stem, MAX_RAW_STEM).normalize('NFC');
}

function withExtension(stem: string, type: MediaType): string {
  const short = firstCodePoints(trimDots(stem), NAME_LENGTH.max);
  return `${trimDots(short) || FALLBACK}.${extensionOf(type)}`;
}

/** Dots and white space at either end hide a file or vanish on some systems. */
const trimDots = (text: string): string => trimDotsAtEnd(text).replace(/^[\s.]+/u, '');

/** A walk from the end: `/[\s.]+$/` takes quadratic time on a long run of dots that ends in a letter. */
function trimDotsAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * `full_name`: the object's path below the media root, `{workspace}/{id}/{name}`. It is set once, when the item
 * becomes active: a later rename changes `name` alone, as `link` is final (docs/api.md, "Media items").
 * A typed name of more than 255 bytes of UTF-8 is shortened here, not in `name`: 100 characters were promised.
 */
export function fullNameOf(workspace: Uuid, id: Uuid, name: string): string {
  return `${workspace}/${id}/${fitSegment(name)}`;
}

function fitSegment(name: string): string {
  if (encoder.encode(name).length <= MAX_NAME_BYTES) return name;
  // What an import is called before its type is known has none.
  const [extension = ''] = MEDIA_EXTENSION.exec(name) ?? [];
  return trimDots(fitStem(name.slice(0, name.length - extension.length))) + extension;
}

/** As much of a stem as fits into a path component with the longest extension, so that the type changes nothing of it. */
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

/** A path that needs no encoding: segments of unreserved characters (RFC 3986 section 2.3). */
const PLAIN = /^[\w.~/-]*$/;

/** `link`: media base (no trailing slash) + `full_name`, percent-encoded segment by segment (RFC 3986 section 2). */
export function linkOf(mediaBase: string, fullName: string): string {
  if (PLAIN.test(fullName)) return `${mediaBase}/${fullName}`;
  const path = fullName.split('/').map(encodeSegment).join('/');
  return `${mediaBase}/${path}`;
}

/** `encodeURIComponent` leaves `!'()*` alone, which mail programs and Markdown cut links at. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
