export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Whether a text is longer than the limit in code points; it reads no more than necessary. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > 2 * limit || (text.length > limit && codePointLength(text) > limit);

export function firstCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return Array.from(text).slice(0, limit).join('');
}

const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_ON_ONE_LINE = new RegExp(UNSAFE.source, 'u');
const UNSAFE_IN_PROSE = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|(?![\n\r\t])\p{Cc}/u;

/** Removes control characters, lone surrogates and bidi controls (Unicode TR 9, section 2). */
export const stripUnsafe = (text: string): string => text.replace(UNSAFE, '');

export const hasUnsafe = (text: string): boolean => UNSAFE_ON_ONE_LINE.test(text);

const INVISIBLE = /^[\s\p{Z}\p{Cf}]*$/u;

/** Whether a text shows nothing: it is empty, or has only white space and format characters. */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text);

/** Whether prose has unsafe characters; tabs, line ends and the direction marks of Hebrew and Arabic text are safe. */
export const hasUnsafeInProse = (text: string): boolean => UNSAFE_IN_PROSE.test(text);

/**
 * Folds case and normalises to NFC. Code points are converted to lower case one by one, because `toLowerCase` of a
 * whole string would distinguish a final sigma. The text is converted to lower case before upper case, because `ß`
 * becomes `SS` in upper case, but `ẞ` stays as it is.
 */
export function caseFold(text: string): string {
  const upper = text.normalize('NFC').toLowerCase().toUpperCase();
  return Array.from(upper, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC');
}

/**
 * Formats a size such as `1,023.9 MB`. 1 MB is 1024 × 1024 bytes, as in the limits and the settings. The size is
 * rounded down, so that free space just below a limit doesn't look like the limit.
 */
export const inMegabytes = (bytes: number): string =>
  `${(Math.floor((bytes / 1024 / 1024) * 10) / 10).toLocaleString('en-US')} MB`;
