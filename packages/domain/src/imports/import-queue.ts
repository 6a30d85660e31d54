import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { PendingOutcome } from '../uploads/upload-repository.ts';

export interface ImportJob {
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly url: string;
  readonly attempts: number;
  /** This time included; earlier ones only if they were interrupted, or may have published the object. */
  readonly claims: number;
  readonly terms: UploadTerms;
  readonly requestId?: string;
}

export interface ImportRelease {
  readonly dueAt: number;
  readonly attempts: number;
  /** Default: as before. */
  readonly claims?: number;
}

export interface ClaimRequest {
  readonly now: number;
  readonly lease: Lease;
  readonly limit: number;
  readonly perWorkspace: number;
  readonly without?: readonly Uuid[];
  /**
   * Called before a job is claimed; one that it doesn't admit stays free. An admitted job may not be claimed after all.
   */
  readonly admits?: (job: Pick<ImportJob, 'mediaId' | 'workspaceId'>) => boolean;
}

/**
 * A job exists as long as its item is `processing`, free or under a lease that its owner renews; without the lease the
 * owner can change neither job nor item. Of concurrent claims one succeeds.
 */
export interface ImportQueue {
  /** The job under `lease`, or free from `dueAt` on. Nothing is inserted with `folder_missing`. */
  add(
    item: ProcessingMedia,
    job: Pick<ImportJob, 'url' | 'attempts'> & Partial<Pick<ImportJob, 'terms' | 'requestId'>>,
    start: { readonly lease: Lease } | { readonly dueAt: number },
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** The longest due first. */
  claim(request: ClaimRequest): Promise<readonly ImportJob[]>;
  /** Those that the owner (still) holds. */
  renew(mediaIds: readonly Uuid[], lease: Lease): Promise<ReadonlySet<Uuid>>;
  release(mediaId: Uuid, owner: string, next: ImportRelease): Promise<boolean>;
  /**
   * In one transaction: `decide`, which must be pure, gets the item as it is now and returns what it becomes. False,
   * and nothing changed, if the owner doesn't hold the job, or the id was to be the alias of an item that doesn't
   * exist.
   */
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  depth(): Promise<{ readonly jobs: number; readonly oldest: number | null }>;
}
