import type { PendingOutcome } from '../duplicates/duplicate-repository.ts';
import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** An unfinished import of a `processing` item. */
export interface ImportJob {
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly url: string;
  /** Those that failed because of the remote server. */
  readonly attempts: number;
  /**
   * How many times a worker has started it, this time included. Earlier ones count only if they were interrupted, or
   * may have published the object.
   */
  readonly claims: number;
  readonly terms: UploadTerms;
  /** For the log; absent where it isn't known. */
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
  /** Of a workspace under lease, by any owner. */
  readonly perWorkspace: number;
  /** Workspaces whose jobs are skipped. */
  readonly without?: readonly Uuid[];
  /**
   * Called before a job is claimed; one that it doesn't admit stays free. An admitted job may be asked for again, and
   * may not be claimed after all.
   */
  readonly admits?: (job: Pick<ImportJob, 'mediaId' | 'workspaceId'>) => boolean;
}

/**
 * A job exists as long as its item is `processing`. It is free, or under a lease that its owner renews; with an expired
 * lease it is free, and the owner can change neither job nor item. Of concurrent claims one succeeds.
 */
export interface ImportQueue {
  /**
   * Inserts an item and its job: under `lease` with one claim counted, or free from `dueAt` on. Nothing with
   * `folder_missing` (`MediaRepository.insert`).
   *
   * @param completion stored with them
   */
  add(
    item: ProcessingMedia,
    job: Pick<ImportJob, 'url' | 'attempts'> & Partial<Pick<ImportJob, 'terms' | 'requestId'>>,
    start: { readonly lease: Lease } | { readonly dueAt: number },
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** Claims free jobs, the longest due first, and counts the claims. */
  claim(request: ClaimRequest): Promise<readonly ImportJob[]>;
  /** Returns those that the owner (still) holds. */
  renew(mediaIds: readonly Uuid[], lease: Lease): Promise<ReadonlySet<Uuid>>;
  /** False if the owner doesn't hold it (any more). */
  release(mediaId: Uuid, owner: string, next: ImportRelease): Promise<boolean>;
  /**
   * Ends the import in one transaction: `decide`, which must be pure, gets the item as it is now and returns what it
   * becomes; its cover is inserted. False, and nothing changed, if the owner doesn't hold the job, or the id was to be
   * the alias of an item that doesn't exist.
   */
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  /** Jobs that haven't ended, and when the oldest was added. */
  depth(): Promise<{ readonly jobs: number; readonly oldest: number | null }>;
}
