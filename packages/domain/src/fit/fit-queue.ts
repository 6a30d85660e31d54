import type { PendingOutcome } from '../duplicates/duplicate-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { FitMode } from './canvas.ts';

/** A file that is still to be made. Its `processing` item names the original. */
export interface FitJob {
  /** The item's id. */
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  /** The name of a target. */
  readonly target: string;
  readonly how: FitMode;
  /** How many times a worker has started it. */
  readonly claims: number;
}

/** Jobs that one workspace may have in the queue: each is minutes of work at worst. */
export const MAX_FITS_WAITING = 100;

/**
 * Milliseconds until the next attempt, by the number of attempts so far: a storage may have been unreachable, or a
 * process killed.
 */
const RETRY_DELAYS: readonly number[] = [5_000, 60_000, 600_000];

/** Milliseconds until the next attempt after a temporary failure; null: there is none, the job has failed. */
export const retryFitAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

/** Whether a job has been started so often without ending that it is abandoned. */
export const isFitGivenUp = (claims: number): boolean => claims > RETRY_DELAYS.length + 1;

/** Why an item failed, for people. */
export const FIT_FAILURES = {
  interrupted: 'Making it was interrupted too often.',
  gone: 'The original is gone.',
  no_target: 'Its target is no longer known.',
  no_tool: 'This server has no ffmpeg, which makes it.',
  too_large: 'It could not be made small enough.',
  too_long: 'Making it took too long.',
  unreadable: 'The original could not be converted.',
} as const;

/**
 * The durable queue of files that are made to fit a target. A job exists exactly as long as its item is `processing`;
 * deleting the item deletes the job. It is free, or under a lease that its owner renews; with an expired lease it
 * counts as free, and an owner that lost its lease can't change the job or the item. Workspaces take turns, however
 * many jobs each has.
 */
export interface FitQueue {
  /**
   * Inserts a `processing` item and its job in one transaction. Inserts nothing with `folder_missing` (see
   * `MediaRepository.insert`), or with `full` if the workspace has {@link MAX_FITS_WAITING} already.
   *
   * @param completion stored with them
   */
  add(
    item: ProcessingMedia,
    job: Pick<FitJob, 'target' | 'how'>,
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing' | 'full'>;
  /**
   * Claims the next job that is free at `now` and increments its `claims`; null if there is none. Of concurrent calls,
   * also from several processes, only one gets it.
   *
   * @param request.without workspaces whose jobs are skipped
   */
  claim(request: {
    readonly now: number;
    readonly lease: Lease;
    readonly without: readonly Uuid[];
  }): Promise<FitJob | null>;
  /** Prolongs the lease; false when its owner doesn't hold it (any more), also because the item was deleted. */
  renew(mediaId: Uuid, lease: Lease): Promise<boolean>;
  /**
   * Releases a job to the end of its workspace's queue and sets its `claims`. Does nothing if the owner doesn't hold
   * it.
   */
  release(mediaId: Uuid, owner: string, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  /** As `ImportQueue.finish`. */
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  /** The number of jobs that haven't ended. */
  depth(): Promise<number>;
}
