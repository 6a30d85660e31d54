import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { TemporaryMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { PendingOutcome } from '../uploads/upload-repository.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/** What a client has said about the file that it will send. A resumable one may be of any type that is taken. */
export type AnnouncedUpload = (
  | ({ readonly kind: 'presigned' } & PresignedUpload)
  | ({ readonly kind: 'resumable' } & Omit<PresignedUpload, 'type'>)
) & { readonly terms: UploadTerms };

/**
 * An upload exists as long as its item is `temporary`. A running confirmation holds its lease. Of concurrent claims one
 * succeeds.
 */
export interface PresignRepository {
  /** All or nothing: nothing with `folder_missing`. */
  add(
    uploads: readonly { readonly item: TemporaryMedia; readonly upload: AnnouncedUpload }[],
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<AnnouncedUpload | null>;
  claim(id: Uuid, lease: Lease, now: number): Promise<boolean>;
  release(id: Uuid, owner: string): Promise<void>;
  /** As `ProcessingRepository.finish`. */
  finish(id: Uuid, owner: string, decide: (item: TemporaryMedia) => PendingOutcome): Promise<boolean>;
  /** The longest expired first. */
  expired(before: number, limit: number): Promise<readonly Uuid[]>;
}
