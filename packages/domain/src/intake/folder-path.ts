import { MAX_FOLDER_DEPTH } from '../folders/folder.ts';
import { FOLDER_NAME_LENGTH } from '../folders/folder-name.ts';
import { firstCodePoints, isInvisible, stripUnsafe } from '../text.ts';
import { DOTS } from './left-out.ts';

/** For one that shows nothing. */
const FALLBACK = 'folder';

export interface FolderPath {
  /** From the top. */
  readonly names: readonly string[];
  /** Whether the file lay deeper than folders may be nested. */
  readonly isCut: boolean;
}

/** The folders in which a file at a path lies, `/` between them, by names that folders may have. */
export function folderPath(path: string): FolderPath {
  const names = path
    .split('/')
    .slice(0, -1)
    .filter((name) => name !== '' && !DOTS.has(name));
  return { names: names.slice(0, MAX_FOLDER_DEPTH).map(folderName), isCut: names.length > MAX_FOLDER_DEPTH };
}

function folderName(name: string): string {
  // NFC first, as it can make a text longer; trimmed again, as it may be cut behind a word.
  const safe = stripUnsafe(name).trim().normalize('NFC');
  const short = firstCodePoints(safe, FOLDER_NAME_LENGTH.max).trim();
  return isInvisible(short) ? FALLBACK : short;
}

/** What the service takes for the end of a path. */
const SEPARATORS = /[/\\\u2044\u2215\u29f8\uff0f\uff3c]/g;

/** Enough for every name: the service cuts them. */
const LONGEST_NAME = 200;

/** The name of the file at a path, whole: characters that would end it are replaced. */
export const fileNameOf = (path: string): string =>
  firstCodePoints((path.split('/').at(-1) ?? '').replace(SEPARATORS, '-'), LONGEST_NAME);
