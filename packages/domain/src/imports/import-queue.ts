import type { PendingOutcome } from '../duplicates/duplicate-repository.ts';
import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** A URL import that is still to be done, beside its `processing` item. */
export interface ImportJob {
  /** The item's id. */
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly url: string;
  /** Tries that the other side made fail. */
  readonly attempts: number;
  /** Times that a worker began with it: more than {@link attempts} when workers were killed over it. */
  readonly claims: number;
  readonly terms: UploadTerms;
}

export interface ClaimRequest {
  readonly now: number;
  readonly lease: Lease;
  /** At most so many jobs. */
  readonly limit: number;
  /** A workspace has at most so many jobs under lease, of whomever; its others wait. */
  readonly perWorkspace: number;
  /** Workspaces whose jobs are passed over, as the one who asks has enough of theirs under way. Default: none. */
  readonly without?: readonly Uuid[];
  /**
   * Asked of each job before it is taken, in their order; one that it doesn't admit stays. It may be asked again of a job
   * that it admitted, and a job that it admitted may not be taken after all. Default: all.
   */
  readonly admits?: (job: Pick<ImportJob, 'mediaId' | 'workspaceId'>) => boolean;
}

/**
 * The durable queue of URL imports. A job exists exactly as long as its item is `processing`; deleting the item deletes
 * the job. A job is free, or under a lease that its owner renews; a lease that ran out counts as free. Of two that want
 * the same job, also from two processes, one gets it; an owner that lost its lease can't change the job or the item.
 */
export interface ImportQueue {
  /**
   * Keeps a `processing` item and its job in one transaction: the job under `lease` with one claim counted, or free and due
   * at `dueAt` with none; with {@link NO_TERMS} where no terms are given. `folder_missing` as for `MediaRepository.insert`:
   * nothing is kept.
   *
   * @param completion kept with them
   */
  add(
    item: ProcessingMedia,
    job: Pick<ImportJob, 'url' | 'attempts'> & Partial<Pick<ImportJob, 'terms'>>,
    start: { readonly lease: Lease } | { readonly dueAt: number },
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** Takes free jobs that are due, the longest due first, each under the lease and with one more claim counted. */
  claim(request: ClaimRequest): Promise<readonly ImportJob[]>;
  /** Prolongs the owner's leases on these jobs to `lease.until`; answers which of them it (still) holds. */
  renew(mediaIds: readonly Uuid[], lease: Lease): Promise<ReadonlySet<Uuid>>;
  /**
   * Makes the job free again, due at `dueAt`, with that many attempts. False when the owner doesn't hold it (any more).
   */
  release(mediaId: Uuid, owner: string, next: { readonly dueAt: number; readonly attempts: number }): Promise<boolean>;
  /** Who holds leases, ended ones too. */
  owners(): Promise<readonly string[]>;
  /**
   * Makes all jobs free that the owner holds, due at `dueAt`; answers how many. For one that is known to be dead: it
   * can't change them any more.
   */
  releaseAll(owner: string, dueAt: number): Promise<number>;
  /**
   * Ends the import in one transaction: `decide` gets the item as it is now (its name, label and folder may have been
   * changed meanwhile) and says what it becomes; the cover, if any, is kept, the job goes. `decide` must be pure.
   * False, and nothing is changed, when the owner doesn't hold the job (any more), also because the item was deleted,
   * and when it was to become another's alias and there is no such item.
   */
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  /** Jobs not ended yet, and when the oldest of them was added; null when there is none. */
  depth(): Promise<{ readonly jobs: number; readonly oldest: number | null }>;
}
