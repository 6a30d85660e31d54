import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { TemporaryMedia } from '../media/item.ts';
import type { Piece } from './resumable-storage.ts';

/** An upload in several requests. Once it has ended, its result is kept for some time. */
export interface ResumableUpload {
  /** The item's id. */
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** The declared size in bytes. */
  readonly size: number;
  /** Number of bytes that are stored: the client continues after them. */
  readonly received: number;
  /** The metadata as the client sent it (tus 1.0, "Upload-Metadata"). */
  readonly metadata: string;
  readonly lastByteAt: number;
}

/**
 * An unfinished upload is also a presigned upload: its bytes are reserved, its item waits for them, and the writer
 * holds a lease on it. Only the holder of the lease adds pieces, so a writer that has lost the lease changes nothing.
 */
export interface ResumableRepository {
  /** Adds an upload; adds nothing if it returns `folder_missing`. */
  add(
    item: TemporaryMedia,
    upload: Pick<ResumableUpload, 'size' | 'metadata'> & { readonly terms: UploadTerms },
    now: number,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<ResumableUpload | null>;
  /** Lists the pieces in order, without gaps. */
  pieces(id: Uuid): Promise<readonly Piece[]>;
  lastPiece(id: Uuid): Promise<Piece | null>;
  /** Renews the holder's lease. @returns false if the lease was lost */
  renew(id: Uuid, owner: string, until: number): Promise<boolean>;
  /** Takes the lease from a holder that didn't renew it. @returns false if the lease is still held */
  endSilent(id: Uuid, now: number): Promise<boolean>;
  /**
   * Adds the pieces that the holder stored. The first of them starts at `from`, or is the last known piece after it has
   * grown.
   *
   * @param from the number of bytes received before
   * @returns false, and adds nothing, if the lease was lost
   */
  advance(id: Uuid, owner: string, from: number, pieces: readonly Piece[], now: number): Promise<boolean>;
  /**
   * Lists uploads that were complete before the given time but still aren't settled, for whatever reason, in the order
   * of their ids.
   *
   * @param after the last id of the previous page
   */
  complete(before: number, after: Uuid | null, limit: number): Promise<readonly Uuid[]>;
  /** Removes the row of an upload that a client has ended; its item is deleted separately. */
  remove(id: Uuid): Promise<void>;
  /** Prunes uploads whose last byte came before the given time. @returns how many */
  prune(before: number, limit: number): Promise<number>;
}
