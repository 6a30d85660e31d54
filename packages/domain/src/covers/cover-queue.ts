import type { Uuid } from '../ids.ts';
import type { ActiveMedia } from '../media/item.ts';

/**
 * What becomes of a new item's cover: made already; `due`, to be made in the background; null for an image, and where none
 * can be made.
 */
export type CoverOutcome = ActiveMedia | 'due' | null;

/** A cover that is still to be made, of an `active` video. */
export interface CoverJob {
  /** The video's id. */
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  /** Times that a worker began with it. */
  readonly claims: number;
}

/** Milliseconds after which a cover is tried again, by the times that it was begun: storages come back, processes die. */
const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** When to try a cover again that couldn't be made for a reason that may pass; null: never, the video stays without. */
export const retryCoverAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

/**
 * The durable queue of covers that are due. A job gets in with its video, in one transaction (`MediaRepository.insert`,
 * `ImportQueue.finish`, `PresignRepository.finish`), and goes with it. Workspaces take turns, however many jobs each has.
 */
export interface CoverQueue {
  /**
   * Takes at most `limit` jobs that are free at `now` and counts one more claim of each; nobody else gets them before
   * `until`. Of two concurrent calls, also from two processes, one gets a job.
   */
  claim(request: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly CoverJob[]>;
  /** Releases a job, to the end of its workspace's queue, with so many claims. Does nothing when it has ended. */
  release(mediaId: Uuid, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  /**
   * Ends a job in one transaction that also keeps the cover, if any. False, and nothing is kept, when the job has ended
   * already, as when the video was deleted.
   */
  finish(mediaId: Uuid, cover: ActiveMedia | null): Promise<boolean>;
  /** Jobs that have not ended. */
  depth(): Promise<number>;
}
