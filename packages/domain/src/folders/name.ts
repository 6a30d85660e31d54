import { caseFold, codePointLength, hasUnsafe } from '../text.ts';

/** Code points of a folder's name after trimming. Outside: 422 on `name`. */
export const FOLDER_NAME_LENGTH = { min: 1, max: 100 } as const;

/** No text whose normal form could fit is longer, and longer ones aren't normalised: NFC can take quadratic time. */
const MAX_RAW_LENGTH = 16 * FOLDER_NAME_LENGTH.max;

/** White space and format characters alone show nothing. */
const INVISIBLE = /^[\s\p{Z}\p{Cf}]*$/u;

/**
 * A name as a person typed it, in the form that is kept: NFC, trimmed. Where it is none, the end of the sentence that
 * says why ("The name field …").
 */
export function readFolderName(text: string): { readonly name: string } | { readonly problem: string } {
  const problemOfLength = { problem: `must not be greater than ${FOLDER_NAME_LENGTH.max} characters.` };
  const trimmed = text.trim();
  if (trimmed.length > MAX_RAW_LENGTH) return problemOfLength;
  const name = trimmed.normalize('NFC');
  if (codePointLength(name) > FOLDER_NAME_LENGTH.max) return problemOfLength;
  if (hasUnsafe(name)) return { problem: 'must not contain control characters.' };
  return INVISIBLE.test(name) ? { problem: 'is required.' } : { name };
}

/** Siblings must differ in this: NFC, upper and lower case the same (docs/api.md, "Folders"). */
export const folderNameKey = (name: string): string => caseFold(name.trim());
