import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { TemporaryMedia } from '../media/item.ts';
import type { Piece } from './resumable-storage.ts';

/** An upload in several requests, and for some time what became of it. */
export interface ResumableUpload {
  /** The item's. */
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** Bytes, as announced. */
  readonly size: number;
  /** Bytes that are stored: the client goes on behind them. */
  readonly received: number;
  /** As the client sent it (tus 1.0, "Upload-Metadata"). */
  readonly metadata: string;
  readonly lastByteAt: number;
}

/**
 * An upload that isn't finished is a presigned upload, too, so that its bytes are reserved, its item waits for them, and it
 * has a lease: whoever writes holds it. Only the holder adds pieces, so a writer that lost it changes nothing.
 */
export interface ResumableRepository {
  /** Nothing with `folder_missing`. */
  add(
    item: TemporaryMedia,
    upload: Pick<ResumableUpload, 'size' | 'metadata'> & { readonly terms: UploadTerms },
    now: number,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<ResumableUpload | null>;
  /** In order, without gaps. */
  pieces(id: Uuid): Promise<readonly Piece[]>;
  lastPiece(id: Uuid): Promise<Piece | null>;
  /** For the holder alone. @returns false if the lease was lost */
  renew(id: Uuid, owner: string, until: number): Promise<boolean>;
  /** Takes the lease from a holder that didn't renew it. @returns false if somebody holds it */
  endSilent(id: Uuid, now: number): Promise<boolean>;
  /**
   * Adds what the holder stored. The first piece begins at `from`, or is the last one, grown.
   *
   * @param from bytes received before
   * @returns false, and nothing is added, if the lease was lost
   */
  advance(id: Uuid, owner: string, from: number, pieces: readonly Piece[], now: number): Promise<boolean>;
  /** Complete, and not settled for some reason since before the time. */
  complete(before: number, limit: number): Promise<readonly Uuid[]>;
  forget(id: Uuid): Promise<void>;
  /** Forgets uploads whose last byte came before the time. @returns how many */
  prune(before: number, limit: number): Promise<number>;
}
