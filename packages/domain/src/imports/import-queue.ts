import type { PendingOutcome } from '../duplicates/duplicate-repository.ts';
import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** An unfinished URL import of a `processing` item. */
export interface ImportJob {
  /** The item's id. */
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly url: string;
  /** Attempts that failed because of the remote server. */
  readonly attempts: number;
  /**
   * How many times a worker has started it, this time included. An earlier start counts only if it was interrupted, or
   * may have published the object.
   */
  readonly claims: number;
  readonly terms: UploadTerms;
  /** The id of the request that began it, for the log; absent where none is known. */
  readonly requestId?: string;
}

/** What becomes of a job that its owner releases. */
export interface ImportRelease {
  readonly dueAt: number;
  readonly attempts: number;
  /** Default: as before. */
  readonly claims?: number;
}

export interface ClaimRequest {
  readonly now: number;
  readonly lease: Lease;
  /** Most jobs to claim. */
  readonly limit: number;
  /** Most jobs of a workspace under lease, by any owner; its others wait. */
  readonly perWorkspace: number;
  /** Workspaces whose jobs are skipped, as the caller has enough of theirs under way. Default: none. */
  readonly without?: readonly Uuid[];
  /**
   * Called for each job before it is claimed, in their order; a job that it doesn't admit stays free. It may be called
   * again for an admitted job, and an admitted job may not be claimed after all. Default: all are admitted.
   */
  readonly admits?: (job: Pick<ImportJob, 'mediaId' | 'workspaceId'>) => boolean;
}

/**
 * The durable queue of URL imports. A job exists exactly as long as its item is `processing`; deleting the item deletes
 * the job. A job is free, or under a lease that its owner renews; with an expired lease it counts as free. Of
 * concurrent claims of the same job, also from several processes, one succeeds; an owner that lost its lease can't
 * change the job or the item.
 */
export interface ImportQueue {
  /**
   * Inserts a `processing` item and its job in one transaction: the job under `lease` with one claim counted, or free
   * and due at `dueAt` with none; with {@link NO_TERMS} if no terms are given. `folder_missing` as for
   * `MediaRepository.insert`: nothing is inserted.
   *
   * @param completion stored with them
   */
  add(
    item: ProcessingMedia,
    job: Pick<ImportJob, 'url' | 'attempts'> & Partial<Pick<ImportJob, 'terms' | 'requestId'>>,
    start: { readonly lease: Lease } | { readonly dueAt: number },
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** Claims free jobs that are due, the longest due first: puts them under the lease and increments their `claims`. */
  claim(request: ClaimRequest): Promise<readonly ImportJob[]>;
  /** Extends the owner's leases on these jobs to `lease.until`; returns those that it (still) holds. */
  renew(mediaIds: readonly Uuid[], lease: Lease): Promise<ReadonlySet<Uuid>>;
  /** Releases the job, due at `dueAt`, and sets its counts. False if the owner doesn't hold it (any more). */
  release(mediaId: Uuid, owner: string, next: ImportRelease): Promise<boolean>;
  /**
   * Ends the import in one transaction: `decide` gets the item as it is now (its name, label and folder may have been
   * changed meanwhile) and returns what it becomes; the cover, if any, is inserted, the job deleted. `decide` must be
   * pure. False, and nothing is changed, if the owner doesn't hold the job (any more), also because the item was
   * deleted, and if the id was to become an alias of an item that doesn't exist.
   */
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  /** The number of jobs that haven't ended, and when the oldest of them was added; null if there is none. */
  depth(): Promise<{ readonly jobs: number; readonly oldest: number | null }>;
}
