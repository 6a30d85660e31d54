import { WRONG_HASH } from '../duplicates/upload-terms.ts';
import type { UnsupportedFile } from '../media/media-inspector.ts';
import { DAMAGED } from '../media/types.ts';

/** Why a file isn't taken: incomplete, not of a type (or the type) that it should be, or other bytes than declared. */
export type Defect = UnsupportedFile | 'damaged' | 'wrong_type' | 'wrong_hash';

/** The word for a defect in logs. */
export const defectCode = (defect: Defect): string => (typeof defect === 'string' ? defect : 'unsupported');

/**
 * The sentences for a user.
 *
 * @param subject the beginning of a sentence: "The file"
 * @param wrongType the sentence about a file of any other type
 */
export function defectSentence(defect: Defect, subject: string, wrongType: string): string {
  if (defect === 'damaged') return `${subject} ${DAMAGED}`;
  if (defect === 'wrong_hash') return `${subject} ${WRONG_HASH}`;
  if (defect === 'wrong_type') return wrongType;
  return defect.type === null ? `${wrongType} It ${defect.fault}` : `${subject} ${defect.fault}`;
}
