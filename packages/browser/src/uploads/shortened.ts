/** Returns a name without its extension, and without the spaces and dots that the service removes from its end. */
const stemOf = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\.[^.]*$/, '')
    .trimEnd()
    .replace(/[\s.]{1,100}$/, '');

/**
 * Whether the library shortened the file's name because it was too long. Other changes, such as a different extension,
 * don't count.
 */
export function isShortened(file: string, stored: string): boolean {
  const [whole, kept] = [stemOf(file), stemOf(stored)];
  return whole.length > kept.length && whole.startsWith(kept);
}
