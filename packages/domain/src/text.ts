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

/** Marks that search ignores. In other scripts a mark makes another letter (が) or is a vowel (हि). */
const MARKS_OF_LETTERS = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

/**
 * Signs that stand for `'`, `"` and `-`: typographic ones, which phones and word processors write instead of those in
 * ASCII while somebody types, and those of Hawaiian, Ukrainian and Hebrew, for which many people type the ASCII ones. A
 * change of these signs needs a migration that rewrites the stored search keys.
 */
const APOSTROPHES = /[\u02bb\u02bc\u05f3\u2018-\u201b]/g;
const QUOTES = /[\u05f4\u201c-\u201f]/g;
const HYPHENS = /[\u05be\u2010\u2012-\u2015\u2212]/g;

/**
 * Letters with a stroke, which Unicode doesn't decompose, but which many people type without it: `da nang` for Đà Nẵng.
 * A change of these letters needs a migration as well.
 */
const STROKES: Readonly<Record<string, string>> = { đ: 'd', ħ: 'h', ł: 'l', ø: 'o', ŧ: 't' };
const WITH_STROKE = /[đħłøŧ]/g;

/**
 * Characters that show nothing by themselves, such as soft hyphens, joiners and variation selectors. Unicode also removes
 * them for comparisons without case (NFKC_Casefold, section 3.13).
 */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Folds a text for search. This removes differences of case, of the width of letters and of other compatibility forms
 * (NFKC), of typographic quotes and dashes, characters that show nothing, and the marks and strokes of Latin, Greek and
 * Cyrillic letters, so that `cafe` and `café` find each other, and `l'été` and `l’été`.
 */
export const searchFold = (text: string): string =>
  caseFold(
    text
      .normalize('NFKD')
      .replace(IGNORABLE, '')
      .replace(MARKS_OF_LETTERS, '$1')
      .replace(APOSTROPHES, "'")
      .replace(QUOTES, '"')
      .replace(HYPHENS, '-'),
  ).replace(WITH_STROKE, (letter) => STROKES[letter] ?? letter);
