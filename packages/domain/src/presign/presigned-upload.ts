import type { Uuid } from '../ids.ts';
import type { AnnouncedType } from '../media/converted-type.ts';
import { WRONG_TYPE } from '../media/types.ts';
import { type Defect, defectSentence } from '../uploads/defect.ts';
import { MAX_FILE_BYTES } from '../uploads/limits.ts';

/** Accepted until it expires. */
export interface PresignedUpload {
  /** The `temporary` item's. */
  readonly id: Uuid;
  readonly size: number;
  readonly type: AnnouncedType;
  /** Whole seconds, in milliseconds. */
  readonly expiresAt: number;
}

/** Outside: 422 on `files.N.size`. */
export const MAX_PRESIGNED_BYTES = MAX_FILE_BYTES;

/** Code points. Outside: 422 on `files.N.name`. */
export const MAX_PRESIGNED_NAME_LENGTH = 255;

/** Seconds. */
export const UPLOAD_ADDRESS_LIFETIME = 60 * 60;

/** Milliseconds after the address expired, or the last byte of a resumable upload came. */
export const UNCONFIRMED_LIFETIME = 24 * 60 * 60 * 1000;

/** For `error_message`. */
export const wrongSizeMessage = (is: number, announced: number): string =>
  `The uploaded file has ${is} bytes instead of the announced ${announced}.`;

const wrongTypeMessage = (announced: AnnouncedType): string => `The uploaded file is not a valid ${announced} file.`;

/** For `error_message`. @param announced the type that the file had to have */
export const uploadDefectMessage = (defect: Defect, announced?: AnnouncedType): string =>
  defectSentence(defect, 'The file', announced ? wrongTypeMessage(announced) : `The file ${WRONG_TYPE}`);
