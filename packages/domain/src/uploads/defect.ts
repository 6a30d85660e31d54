import { WRONG_HASH } from '../duplicates/upload-terms.ts';
import type { UnsupportedFile } from '../media/media-inspector.ts';
import { DAMAGED } from '../media/types.ts';

/**
 * Why a file isn't accepted: it is unsupported or incomplete, it is an image that can't be decoded for conversion, it
 * has a wrong type, or its bytes differ from the declared hash.
 */
export type Defect = UnsupportedFile | 'damaged' | 'undecodable' | 'wrong_type' | 'wrong_hash';

/**
 * The sentence about an image that can't be decoded. It lists several possible reasons, because decoders don't say
 * which one applies.
 */
export const UNDECODABLE =
  'cannot be decoded: it is incomplete or damaged, has too many pixels, or uses features of its format that are not supported here. Convert it to JPEG or PNG.';

/** The word for a defect in logs. */
export const defectCode = (defect: Defect): string => (typeof defect === 'string' ? defect : 'unsupported');

/**
 * Returns the sentences about a defect for a user.
 *
 * @param subject the beginning of a sentence: "The file"
 * @param wrongType the sentence about a file whose type is wrong or unknown
 */
export function defectSentence(defect: Defect, subject: string, wrongType: string): string {
  if (defect === 'damaged') return `${subject} ${DAMAGED}`;
  if (defect === 'undecodable') return `${subject} ${UNDECODABLE}`;
  if (defect === 'wrong_hash') return `${subject} ${WRONG_HASH}`;
  if (defect === 'wrong_type') return wrongType;
  return defect.type === null ? `${wrongType} It ${defect.fault}` : `${subject} ${defect.fault}`;
}
