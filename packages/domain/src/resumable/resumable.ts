import { untypedName } from '../imports/import.ts';
import { nameFromFileName, promisedType } from '../media/name.ts';
import type { Piece } from './resumable-storage.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What a client may have to send again after a kill is at most this, what is being stored, and what is on its way. */
export const PIECE_BYTES = 3 * 1024 * 1024;

/** Up to which a piece becomes part of the next one, so that many small requests don't make many pieces. */
export const SMALL_PIECE = 512 * 1024;

/** Milliseconds without a byte after which another request may go on with an upload. */
export const WRITER_SILENCE = 2_000;

/** For which clients may ask what became of a finished upload, and longer, as nobody notes when it was settled. */
export const OUTCOME_LIFETIME = 2 * DAY;

/**
 * The name of an upload, and the end of its link, before its bytes are known: with the extension of the type that the
 * file's name promises. Without such a promise it has none; any type then does to remove the one that the file has.
 */
export function resumableName(fileName: string): string {
  const promised = promisedType(fileName);
  const name = nameFromFileName(fileName, promised ?? 'image/jpeg');
  return promised ? name : untypedName(name);
}

/** Of pieces in order: where the next one begins, and the size of the file that they are. */
export function endOf(pieces: readonly Piece[]): number {
  const last = pieces.at(-1);
  if (!last) throw new Error('There are no pieces.');
  return last.start + last.size;
}

export const UPLOAD_LOCKED = 'Another request is writing to this upload, or it is being checked. Try again.';

export const PIECES_MISSING = 'Parts of the file are missing. Upload it again.';
