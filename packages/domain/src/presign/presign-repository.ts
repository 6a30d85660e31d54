import type { PendingOutcome } from '../duplicates/duplicate-repository.ts';
import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { TemporaryMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/** An upload, and the terms that its client gave. */
export interface AnnouncedUpload extends PresignedUpload {
  readonly terms: UploadTerms;
}

/**
 * Presigned uploads that wait for their file, beside their `temporary` items. An upload exists exactly as long as its
 * item is `temporary`; deleting the item deletes it. A running confirmation holds the upload's lease; an expired lease
 * counts as none. Of two concurrent claims, also from two processes, one succeeds.
 */
export interface PresignRepository {
  /**
   * Inserts `temporary` items and their uploads, all or nothing. An upload's id is its item's. `folder_missing`, and nothing
   * is inserted, when an item's folder isn't one of its workspace (any more).
   *
   * @param completion kept with them
   */
  add(
    uploads: readonly { readonly item: TemporaryMedia; readonly upload: AnnouncedUpload }[],
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** null when the item isn't `temporary` (any more). */
  find(id: Uuid): Promise<AnnouncedUpload | null>;
  /**
   * Takes the lease, or renews the owner's own. False when another owner holds it, or there is no such upload (any
   * more).
   */
  claim(id: Uuid, lease: Lease, now: number): Promise<boolean>;
  /** Releases the lease. Does nothing when the owner doesn't hold it (any more). */
  release(id: Uuid, owner: string): Promise<void>;
  /**
   * Ends the confirmation in one transaction: `decide` gets the current item and returns what it becomes; the cover, if
   * any, is inserted, the upload removed. `decide` must be pure. False, and nothing is changed, when the owner doesn't
   * hold the lease (any more), also because the item was deleted, and if the id was to become an alias of an item that
   * doesn't exist.
   */
  finish(id: Uuid, owner: string, decide: (item: TemporaryMedia) => PendingOutcome): Promise<boolean>;
  /** Ids of at most `limit` uploads that expired before the time, the longest expired first. */
  expired(before: number, limit: number): Promise<readonly Uuid[]>;
}
