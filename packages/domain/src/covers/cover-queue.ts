import type { Uuid } from '../ids.ts';
import type { ActiveMedia } from '../media/item.ts';

/**
 * The cover of a new item: the finished cover; `due` if it is to be made in the background; null for an image, and if
 * none can be made.
 */
export type CoverOutcome = ActiveMedia | 'due' | null;

/** A cover that is still to be made, of an `active` video. */
export interface CoverJob {
  /** The video's id. */
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  /** How many times a worker has started it. */
  readonly claims: number;
}

/**
 * Milliseconds until the next attempt, by the number of attempts so far: a storage may have been unreachable, or a
 * process killed.
 */
const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** Milliseconds until the next attempt after a temporary failure; null: there is none, and the video has no cover. */
export const retryCoverAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

/**
 * The durable queue of covers that are due. A job is inserted in the same transaction as its video
 * (`MediaRepository.insert`, `ImportQueue.finish`, `PresignRepository.finish`) and deleted with it. Workspaces take
 * turns, however many jobs each has.
 */
export interface CoverQueue {
  /**
   * Claims at most `limit` jobs that are free at `now` and increments their `claims`; no other caller gets them before
   * `until`. Of concurrent calls, also from several processes, only one gets a given job.
   */
  claim(request: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly CoverJob[]>;
  /** Releases a job to the end of its workspace's queue and sets its `claims`. Does nothing if it has ended. */
  release(mediaId: Uuid, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  /**
   * Ends a job and stores the cover, if any, in one transaction. False, and nothing is stored, if the job has ended
   * already, for example because the video was deleted.
   */
  finish(mediaId: Uuid, cover: ActiveMedia | null): Promise<boolean>;
  /** The number of jobs that haven't ended. */
  depth(): Promise<number>;
}
