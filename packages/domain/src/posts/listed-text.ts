/**
 * Maximum length of a text in a list, in code points, so that a page of a hundred posts has a few megabytes at most.
 */
export const MAX_LISTED_TEXT = 10_000;

/**
 * Maximum number of bytes of a text that are read for a list. UTF-8 takes at most four bytes per character, so these
 * bytes show whether the text has more than {@link MAX_LISTED_TEXT} characters.
 */
export const LISTED_TEXT_BYTES = (MAX_LISTED_TEXT + 1) * 4;

/** Returns a text for a list: the whole text if it isn't too long, otherwise its beginning. */
export function listedText(text: string): string {
  if (text.length <= MAX_LISTED_TEXT) return text;
  // A character is one or two UTF-16 code units.
  const characters = Array.from(text.slice(0, 2 * MAX_LISTED_TEXT + 1));
  return characters.length <= MAX_LISTED_TEXT ? text : characters.slice(0, MAX_LISTED_TEXT).join('');
}
