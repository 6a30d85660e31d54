import { caseFold } from '../text.ts';

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
 * Changing these letters also requires a migration.
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
