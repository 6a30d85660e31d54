import type { Uuid } from '../ids.ts';
import type { AnnouncedType } from '../media/converted-type.ts';
import { WRONG_TYPE } from '../media/types.ts';
import { type Defect, defectSentence } from '../uploads/defect.ts';
import { MAX_FILE_BYTES } from '../uploads/limits.ts';

/** An upload that is accepted until it expires. */
export interface PresignedUpload {
  /** The id of the `temporary` item. */
  readonly id: Uuid;
  readonly size: number;
  readonly type: AnnouncedType;
  /** When it expires, in milliseconds; always a whole second. */
  readonly expiresAt: number;
}

/** Maximum size in bytes; larger sizes are answered with 422 on `files.N.size`. */
export const MAX_PRESIGNED_BYTES = MAX_FILE_BYTES;

/** Maximum length in code points; longer names are answered with 422 on `files.N.name`. */
export const MAX_PRESIGNED_NAME_LENGTH = 255;

/** Lifetime of an upload URL in seconds. */
export const UPLOAD_ADDRESS_LIFETIME = 60 * 60;

/** How long an upload may stay unconfirmed, in milliseconds after its URL expired or its last byte arrived. */
export const UNCONFIRMED_LIFETIME = 24 * 60 * 60 * 1000;

/** Returns the sentence for `error_message`. */
export const wrongSizeMessage = (is: number, announced: number): string =>
  `The uploaded file has ${is} bytes instead of the announced ${announced}.`;

const wrongTypeMessage = (announced: AnnouncedType): string => `The uploaded file is not a valid ${announced} file.`;

/** Returns the sentence for `error_message`. @param announced the type that the file should have had */
export const uploadDefectMessage = (defect: Defect, announced?: AnnouncedType): string =>
  defectSentence(defect, 'The file', announced ? wrongTypeMessage(announced) : `The file ${WRONG_TYPE}`);
