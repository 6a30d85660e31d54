/**
 * Returns a text as it is if it has at most the given number of characters, and otherwise its beginning with an
 * ellipsis. Cuts the text at a space if there is one in the second half of the beginning, and never within a character.
 */
export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${startOf(text, length)}…`;

/** Returns the beginning of a text, which is at most `length` characters long. */
export function startOf(text: string, length: number): string {
  const cut = text.slice(0, length);
  const space = cut.search(/\s\S*$/);
  return space > length / 2 ? cut.slice(0, space) : Array.from(cut).slice(0, -1).join('');
}
