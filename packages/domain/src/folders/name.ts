import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

/** Code points of a folder's name after trimming. Outside: 422 on `name`. */
export const FOLDER_NAME_LENGTH = { min: 1, max: 100 } as const;

export const readFolderName = (text: string) => readName(text, FOLDER_NAME_LENGTH.max);

/** Siblings must differ in this: NFC, upper and lower case the same (docs/api.md, "Folders"). */
export const folderNameKey = (name: string): string => caseFold(name.trim());
