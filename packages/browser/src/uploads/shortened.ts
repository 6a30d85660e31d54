/** Without its extension, and what the service drops from the end of a name: blanks and dots. */
const stemOf = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\.[^.]*$/, '')
    .trimEnd()
    .replace(/[\s.]{1,100}$/, '');

/**
 * Whether the name that a file got in the library lacks its end, as it was too long. Other changes, such as of the
 * extension, don't count.
 */
export function isShortened(file: string, stored: string): boolean {
  const [whole, kept] = [stemOf(file), stemOf(stored)];
  return whole.length > kept.length && whole.startsWith(kept);
}
