/** Names, in lower case, of files and folders that operating systems leave next to people's files. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set([
  'thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
  'icon\r',
  '__macosx',
  '@eadir',
  '#recycle',
  '$recycle.bin',
  'system volume information',
  'lost+found',
]);

/**
 * Names that aren't hidden although they start with a dot. They occur in keys of object stores, which aren't real
 * paths.
 */
export const DOTS: ReadonlySet<string> = new Set(['.', '..']);

/**
 * Returns why a file or folder is skipped because of its name; null if it isn't skipped. Files with such names are
 * never users' media.
 *
 * @param name the last segment of its path
 */
export function reasonToLeaveOut(name: string): string | null {
  if (SYSTEM_NAMES.has(name.toLowerCase())) return 'It belongs to an operating system.';
  return name.startsWith('.') && !DOTS.has(name) ? 'It is hidden.' : null;
}
