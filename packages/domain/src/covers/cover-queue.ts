import type { Uuid } from '../ids.ts';
import type { ActiveMedia } from '../media/item.ts';

/** `due`: to be made in the background; null: an image, or none can be made. */
export type CoverOutcome = ActiveMedia | 'due' | null;

/** The cover of an `active` video, still to be made. */
export interface CoverJob {
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  /** How many times a worker has started it. */
  readonly claims: number;
}

const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** Milliseconds; null: there is no further attempt, and the video has no cover. */
export const retryCoverAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

/** A job is inserted in its video's transaction and deleted with it. Workspaces take turns. */
export interface CoverQueue {
  /** Claims jobs that are free at `now`, counts the claim, and keeps others from them before `until`. */
  claim(request: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly CoverJob[]>;
  /** To the end of its workspace's queue. Does nothing if the job has ended. */
  release(mediaId: Uuid, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  /** Ends a job and stores the cover, in one transaction; false, and nothing stored, if it has ended already. */
  finish(mediaId: Uuid, cover: ActiveMedia | null): Promise<boolean>;
  /** Jobs that haven't ended. */
  depth(): Promise<number>;
}
