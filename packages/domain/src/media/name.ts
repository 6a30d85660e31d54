import type { Uuid } from '../ids.ts';
import { firstCodePoints, stripUnsafe } from '../text.ts';
import { NAME_LENGTH } from './limits.ts';
import { MAX_NAME_BYTES } from './object-key.ts';
import { extensionOf, type MediaType } from './types.ts';

const FALLBACK = 'file';
const PATH_SEPARATORS = /[/\\\u2044\u2215\u29f8\uff0f\uff3c]/g;
/** A file name's extension: up to 8 letters and digits, at least one of them a letter (so `v1.2` has none). */
const ANY_EXTENSION = /\.(?=[0-9]*[a-z])[a-z0-9]{1,8}$/i;
const MEDIA_EXTENSION = /\.(?:jpe?g|jpe|jfif|png|gif|webp|mp4|m4v|mov|qt)$/i;
/**
 * Code points of a stem that are normalised at most: NFC takes quadratic time on unordered combining marks. It joins at
 * most four code points into one, so a stem that is cut here is too long anyway.
 */
const MAX_RAW_STEM = 4 * NAME_LENGTH.max + 1;
/** `.webp` */
const MAX_EXTENSION_BYTES = 5;

const encoder = new TextEncoder();

/**
 * The name under which a file is stored: the last path component of the client's file name, without control characters,
 * bidi overrides or leading and trailing dots, at most 100 code points, NFC, with its extension replaced by that of the
 * actual type (docs/api.md, "Upload media"), and at most 255 bytes of UTF-8, so that it ends `full_name` unchanged.
 * Never empty: `file.jpg` if nothing is left.
 */
export function nameFromFileName(fileName: string, type: MediaType): string {
  const last = stripUnsafe(fileName).split(PATH_SEPARATORS).at(-1) ?? '';
  return withExtension(fitStem(stemOf(last, ANY_EXTENSION)), type);
}

/**
 * The same for a name that a person typed (`name` in a body), which needs no extension: only a media file's extension
 * is replaced, so that "Sale 50.off" keeps its end, and a path separator becomes a dash: "AC-DC live".
 */
export function nameFromInput(name: string, type: MediaType): string {
  return withExtension(inputStem(name), type);
}

/**
 * The part of a typed name that counts towards its length: cleaned, without a media file's extension, and without dots
 * and white space at either end. A far too long one is cut to {@link MAX_RAW_STEM} code points, which is still too
 * long.
 */
export const inputStem = (name: string): string =>
  stemOf(stripUnsafe(name).replace(PATH_SEPARATORS, '-'), MEDIA_EXTENSION);

function stemOf(name: string, extension: RegExp): string {
  // The end is trimmed first, as `photo.jpg ` has an extension too.
  const stem = trimDots(trimDotsAtEnd(name).replace(extension, ''));
  // Normalised last, as a dropped control character may have separated a letter from its accent.
  return firstCodePoints(stem, MAX_RAW_STEM).normalize('NFC');
}

function withExtension(stem: string, type: MediaType): string {
  const short = firstCodePoints(trimDots(stem), NAME_LENGTH.max);
  return `${trimDots(short) || FALLBACK}.${extensionOf(type)}`;
}

/** Dots and white space at either end hide a file or vanish on some systems. */
const trimDots = (text: string): string => trimDotsAtEnd(text).replace(/^[\s.]+/u, '');

/** A loop from the end, as `/[\s.]+$/` takes quadratic time on a long run of dots that ends in a letter. */
function trimDotsAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * `full_name`: the object's path below the media root, `{workspace}/{id}/{name}`. It is set once, when the item becomes
 * active: a later rename changes `name` alone, as `link` is final (docs/api.md, "Media items"). A typed name of more
 * than 255 bytes of UTF-8 is shortened here but not in `name`, which may have 100 characters.
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

/** Shortens a stem so that it fits into a path component with the longest extension, whatever the type. */
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

/** `encodeURIComponent` doesn't encode `!'()*`, at which mail programs and Markdown end links. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
