import { caseFold, stripUnsafe } from '../text.ts';

/** A file in an archive, before its path is decided. */
export interface NamedEntry {
  /** Folder names from the top down; empty at the root of the library. */
  readonly folders: readonly string[];
  /** Includes the extension. */
  readonly name: string;
}

/**
 * Characters that Windows refuses in names. The last two also separate segments in ZIP files (APPNOTE.TXT section
 * 4.4.17).
 */
const FORBIDDEN = /[<>:"|?*\\/]/g;

/** Names that Windows treats as devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * Returns the paths of the files in an archive, in the same order, with segments separated by `/`. Every program can
 * unpack them safely: no path escapes the target folder, no two paths are equal even on case-insensitive file systems,
 * and no file has the path of a folder. Repeated names get ` (2)`, ` (3)` and so on before the extension.
 */
export function entryPaths(entries: readonly NamedEntry[]): readonly string[] {
  const parents = entries.map(({ folders }) => folders.map(safeSegment));
  const taken = new Set<string>();
  for (const folders of parents)
    for (let depth = folders.length; depth > 0; depth -= 1) {
      const key = caseFold(folders.slice(0, depth).join('/'));
      if (taken.has(key)) break;
      taken.add(key);
    }
  const numbers = new Map<string, number>();
  return entries.map(({ name }, index) => {
    const path = [...(parents[index] ?? []), safeSegment(name)].join('/');
    const key = caseFold(path);
    let number = numbers.get(key) ?? 1;
    let unique = path;
    while (taken.has(caseFold(unique))) {
      number += 1;
      unique = numbered(path, number);
    }
    numbers.set(key, number);
    taken.add(caseFold(unique));
    return unique;
  });
}

function numbered(path: string, number: number): string {
  const dot = path.lastIndexOf('.');
  // A leading dot doesn't start an extension.
  const end = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
  return `${path.slice(0, end)} (${number})${path.slice(end)}`;
}

/** Replaces characters and names that unpacking programs refuse or misinterpret; never returns an empty text. */
function safeSegment(text: string): string {
  const plain = trimmed(stripUnsafe(text).replace(FORBIDDEN, '-'));
  if (plain === '') return '_';
  return DEVICE.test(plain) ? `_${plain}` : plain;
}

/** Removes spaces at both ends, and dots at the end, as Windows does. This also removes `..`. */
function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '.' || text[end - 1] === ' ')) end -= 1;
  return text.slice(0, end).trimStart();
}
