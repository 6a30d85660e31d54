import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { JobKey, JobPayloads } from '../jobs/job.ts';
import type { JobStart } from '../jobs/job-queue.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { PendingOutcome } from './upload-repository.ts';

/** The kinds of jobs that an item waits for while it is `processing`. */
export type ProcessingKind = 'import' | 'fit';

export interface ProcessingJob<Kind extends ProcessingKind> {
  readonly kind: Kind;
  readonly payload: JobPayloads[Kind];
  /** Number of attempts that have failed already. */
  readonly attempts?: number;
  /** Why the last attempt failed, for operators. */
  readonly reason?: string;
}

/** Stores items that are `processing`. An item is stored here for exactly as long as its job exists. */
export interface ProcessingRepository {
  /**
   * Inserts an item with its job.
   *
   * @returns `folder_missing`, or `full` if the workspace has too many jobs of the kind; in both cases, nothing is
   *   inserted
   */
  begin<Kind extends ProcessingKind>(
    item: ProcessingMedia,
    job: ProcessingJob<Kind>,
    start: JobStart,
    completion?: IdempotencyCompletion,
  ): Promise<'kept' | 'folder_missing' | 'full'>;
  /**
   * Finishes an item in one transaction: `decide`, which must be pure, gets the current item and returns the outcome to
   * store. Returns false, and changes nothing, if the owner doesn't hold the job, or if the id should become an alias
   * but no item has the bytes any more.
   */
  finish(
    job: JobKey<ProcessingKind>,
    owner: string,
    decide: (item: ProcessingMedia) => PendingOutcome,
  ): Promise<boolean>;
}
