import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { ProcessingMedia } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { PendingOutcome } from '../uploads/upload-repository.ts';
import type { FitMode } from './canvas.ts';

export interface FitJob {
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly target: string;
  readonly how: FitMode;
  readonly claims: number;
}

/** Each is minutes of work at worst. */
export const MAX_FITS_WAITING = 100;

const RETRY_DELAYS: readonly number[] = [5_000, 60_000, 600_000];

/** null: the job has failed. */
export const retryFitAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

export const isFitGivenUp = (claims: number): boolean => claims > RETRY_DELAYS.length + 1;

export const FIT_FAILURES = {
  interrupted: 'The conversion was interrupted too often.',
  gone: 'The original no longer exists.',
  no_target: 'The target no longer exists.',
  no_tool: 'This server has no ffmpeg, which the conversion needs.',
  too_large: 'It could not be made small enough.',
  too_long: 'The conversion took too long.',
  unreadable: 'The original could not be converted.',
} as const;

/**
 * A job exists as long as its item is `processing`, free or under a lease that its owner renews. Workspaces take turns.
 */
export interface FitQueue {
  /** Inserts nothing with `folder_missing`, or `full` beyond {@link MAX_FITS_WAITING}. */
  add(
    item: ProcessingMedia,
    job: Pick<FitJob, 'target' | 'how'>,
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing' | 'full'>;
  /** Of concurrent calls one gets the job. @param request.without workspaces whose jobs are skipped */
  claim(request: {
    readonly now: number;
    readonly lease: Lease;
    readonly without: readonly Uuid[];
  }): Promise<FitJob | null>;
  renew(mediaId: Uuid, lease: Lease): Promise<boolean>;
  /** To the end of its workspace's queue. */
  release(mediaId: Uuid, owner: string, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  finish(mediaId: Uuid, owner: string, decide: (item: ProcessingMedia) => PendingOutcome): Promise<boolean>;
  depth(): Promise<number>;
}
