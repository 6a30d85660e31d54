import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { TemporaryMedia } from '../media/item.ts';
import type { PendingOutcome } from '../uploads/upload-repository.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/**
 * The properties that a client has declared for the file that it will send. A resumable upload may be of any accepted
 * type.
 */
export type AnnouncedUpload = (
  | ({ readonly kind: 'presigned' } & PresignedUpload)
  | ({ readonly kind: 'resumable' } & Omit<PresignedUpload, 'type'>)
) & { readonly terms: UploadTerms };

/**
 * An upload exists for as long as its item is `temporary`. A confirmation in progress holds a lease on the upload. Only
 * one of several concurrent claims of this lease succeeds.
 */
export interface PresignRepository {
  /** Adds all uploads; adds none if it returns `folder_missing`. */
  add(
    uploads: readonly { readonly item: TemporaryMedia; readonly upload: AnnouncedUpload }[],
    completion?: IdempotencyCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<AnnouncedUpload | null>;
  claim(id: Uuid, lease: Lease, now: number): Promise<boolean>;
  release(id: Uuid, owner: string): Promise<void>;
  /** Finishes an item as `ProcessingRepository.finish` does. */
  finish(id: Uuid, owner: string, decide: (item: TemporaryMedia) => PendingOutcome): Promise<boolean>;
  /** Lists expired uploads, the longest expired first. */
  expired(before: number, limit: number): Promise<readonly Uuid[]>;
}
