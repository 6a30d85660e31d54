import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

export const FOLDER_NAME_LENGTH = { min: 1, max: 100 } as const;

export const readFolderName = (text: string) => readName(text, FOLDER_NAME_LENGTH.max);

/** Returns the form of a name that must differ between siblings. */
export const folderNameKey = (name: string): string => caseFold(name.trim());
