import { untypedName } from '../imports/import.ts';
import { nameFromFileName, promisedType } from '../media/name.ts';
import { UNCONFIRMED_LIFETIME } from '../presign/presigned-upload.ts';
import type { Piece } from './resumable-storage.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Bytes per piece. If the service is killed, a client has to resend at most this many bytes, plus those that were being
 * stored or were in transit.
 */
export const PIECE_BYTES = 3 * 1024 * 1024;

/** Size up to which a piece becomes part of the next one, so that many small requests don't make many pieces. */
export const SMALL_PIECE = 512 * 1024;

/** Milliseconds without a byte after which another request may continue an upload. */
export const WRITER_SILENCE = 2_000;

/**
 * How long an unfinished upload is kept, in milliseconds after its last byte. It is as long as for a presigned upload
 * that isn't confirmed, because both are removed in the same way.
 */
export const UNFINISHED_LIFETIME = UNCONFIRMED_LIFETIME;

/**
 * How long clients may ask for the result of an upload, in milliseconds after its last byte. This is longer than the
 * API promises, because the time when the upload was settled isn't recorded.
 */
export const OUTCOME_LIFETIME = 2 * DAY;

/**
 * Returns the name of an upload whose bytes aren't known yet; the upload's link ends with this name. The name has the
 * extension of the type that the file name's extension stands for, or no extension if it stands for no accepted type.
 */
export function resumableName(fileName: string): string {
  const promised = promisedType(fileName);
  // If the file name promises no type, any type will do here, because its extension is removed below.
  const name = nameFromFileName(fileName, promised ?? 'image/jpeg');
  return promised ? name : untypedName(name);
}

/** Returns the end of ordered pieces: where the next one begins, or the size of the complete file. */
export function endOf(pieces: readonly Piece[]): number {
  const last = pieces.at(-1);
  if (!last) throw new Error('There are no pieces.');
  return last.start + last.size;
}

export const UPLOAD_LOCKED = 'Another request is writing to this upload, or it is being checked. Try again.';

export const WRONG_CHECKSUM = 'The bytes do not match their Upload-Checksum.';

export const PIECES_MISSING = 'Parts of the file are missing. Upload it again.';
