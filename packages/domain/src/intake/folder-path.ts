import { MAX_FOLDER_DEPTH } from '../folders/folder.ts';
import { FOLDER_NAME_LENGTH } from '../folders/folder-name.ts';
import { firstCodePoints, isInvisible, stripUnsafe } from '../text.ts';
import { DOTS } from './left-out.ts';

/** Replaces a name without visible characters. */
const FALLBACK = 'folder';

export interface FolderPath {
  /** Folder names from the top down. */
  readonly names: readonly string[];
  /** Whether the innermost folders were left out, because folders aren't allowed to be nested so deeply. */
  readonly isCut: boolean;
}

/** Returns the folders of a file's path (separated by `/`), with names that folders may have. */
export function folderPath(path: string): FolderPath {
  const names = path
    .split('/')
    .slice(0, -1)
    .filter((name) => name !== '' && !DOTS.has(name));
  return { names: names.slice(0, MAX_FOLDER_DEPTH).map(folderName), isCut: names.length > MAX_FOLDER_DEPTH };
}

function folderName(name: string): string {
  // The text is normalised before it is cut, because NFC can make it longer. It is trimmed again afterwards, because
  // the cut may be right after a space.
  const safe = stripUnsafe(name).trim().normalize('NFC');
  const short = firstCodePoints(safe, FOLDER_NAME_LENGTH.max).trim();
  return isInvisible(short) ? FALLBACK : short;
}

/** Characters that the service treats as path separators in a file name. */
const SEPARATORS = /[/\\\u2044\u2215\u29f8\uff0f\uff3c]/g;

/** Maximum length in code points; enough for every name, because the service shortens names further. */
const LONGEST_NAME = 200;

/**
 * Returns the whole name of the file at a path. Characters that the service treats as path separators are replaced,
 * because it would drop everything before them.
 */
export const fileNameOf = (path: string): string =>
  firstCodePoints((path.split('/').at(-1) ?? '').replace(SEPARATORS, '-'), LONGEST_NAME);
