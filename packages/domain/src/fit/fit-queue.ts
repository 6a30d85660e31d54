import type { PendingOutcome } from '../duplicates/duplicate-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { FitMode } from './canvas.ts';

/** A file still to be made. Its `processing` item names the original. */
export interface FitJob {
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly target: string;
  readonly how: FitMode;
  /** How many times a worker has started it. */
  readonly claims: number;
}

/** Of one workspace: each is minutes of work at worst. */
export const MAX_FITS_WAITING = 100;

const RETRY_DELAYS: readonly number[] = [5_000, 60_000, 600_000];

/** Milliseconds; null: there is no further attempt, the job has failed. */
export const retryFitAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

export const isFitGivenUp = (claims: number): boolean => claims > RETRY_DELAYS.length + 1;

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
 * A job exists as long as its item is `processing`. It is free, or under a lease that its owner renews; with an expired
 * lease it is free, and the owner can change neither job nor item. Workspaces take turns.
 */
export interface FitQueue {
  /**
   * Inserts an item and its job. Inserts nothing with `folder_missing`, or `full` beyond {@link MAX_FITS_WAITING}.
   *
   * @param completion stored with them
   */
  add(
    item: ProcessingMedia,
    job: Pick<FitJob, 'target' | 'how'>,
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing' | 'full'>;
  /**
   * Claims the next job that is free at `now`; of concurrent calls only one gets it.
   *
   * @param request.without workspaces whose jobs are skipped
   */
  claim(request: {
    readonly now: number;
    readonly lease: Lease;
    readonly without: readonly Uuid[];
  }): Promise<FitJob | null>;
  /** False when the owner doesn't hold it (any more). */
  renew(mediaId: Uuid, lease: Lease): Promise<boolean>;
  /** To the end of its workspace's queue. Does nothing if the owner doesn't hold it. */
  release(mediaId: Uuid, owner: string, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  /** Jobs that haven't ended. */
  depth(): Promise<number>;
}
