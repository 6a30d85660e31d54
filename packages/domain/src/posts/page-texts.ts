/** A page of a hundred has a few megabytes at most. */
export const MAX_LISTED_TEXT = 10_000;

/** UTF-8 that holds more characters than a list shows, if a text has as many. */
export const LISTED_TEXT_BYTES = (MAX_LISTED_TEXT + 1) * 4;

/** The text itself if that is all of it. */
export function listedText(text: string): string {
  if (text.length <= MAX_LISTED_TEXT) return text;
  // A character is one or two UTF-16 code units.
  const characters = Array.from(text.slice(0, 2 * MAX_LISTED_TEXT + 1));
  return characters.length <= MAX_LISTED_TEXT ? text : characters.slice(0, MAX_LISTED_TEXT).join('');
}
