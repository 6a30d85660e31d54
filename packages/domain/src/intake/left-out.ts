/** What systems leave beside people's files, and whole folders of it; in lower case. */
const OF_SYSTEMS: ReadonlySet<string> = new Set([
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

/** In keys of object stores, which are no paths. Nothing is hidden by them. */
export const DOTS: ReadonlySet<string> = new Set(['.', '..']);

/**
 * Why a file or folder isn't taken in, by its name alone; null if it is. Nobody misses any of these.
 *
 * @param name its last component
 */
export function reasonToLeaveOut(name: string): string | null {
  if (OF_SYSTEMS.has(name.toLowerCase())) return 'It belongs to an operating system.';
  return name.startsWith('.') && !DOTS.has(name) ? 'It is hidden.' : null;
}
