/** Lengths in this API are counted in Unicode code points (docs/api.md, "Errors"). */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Whether a text has more code points than `limit`, without counting those of a far longer text. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > 2 * limit || (text.length > limit && codePointLength(text) > limit);

/** The first `limit` code points of `text`. */
export function firstCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return Array.from(text).slice(0, limit).join('');
}

const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_ON_ONE_LINE = new RegExp(UNSAFE.source, 'u');
const UNSAFE_IN_PROSE = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|(?![\n\r\t])\p{Cc}/u;

/** Drops control characters, lone surrogates and bidi controls (Unicode TR 9, section 2). */
export const stripUnsafe = (text: string): string => text.replace(UNSAFE, '');

/** Whether a one-line text contains characters that {@link stripUnsafe} would remove. */
export const hasUnsafe = (text: string): boolean => UNSAFE_ON_ONE_LINE.test(text);

/** The same for prose, which may contain tabs, line ends and the marks that mixed Hebrew or Arabic text needs. */
export const hasUnsafeInProse = (text: string): boolean => UNSAFE_IN_PROSE.test(text);

/**
 * The form in which two texts are the same to a person who ignores case: NFC, folded code point by code point (a
 * whole-string `toLowerCase` would distinguish a Greek final sigma). Lower-cased first, as `ß` becomes `SS` in upper
 * case while the capital `ẞ` stays unchanged.
 */
export function caseFold(text: string): string {
  const upper = text.normalize('NFC').toLowerCase().toUpperCase();
  return Array.from(upper, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC');
}
