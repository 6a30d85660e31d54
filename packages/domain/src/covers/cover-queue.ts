import type { Uuid } from '../ids.ts';
import type { ActiveMedia } from '../media/item.ts';

/** `due`: to be made in the background. */
export type CoverOutcome = ActiveMedia | 'due' | null;

export interface CoverJob {
  readonly mediaId: Uuid;
  readonly workspaceId: Uuid;
  readonly claims: number;
}

const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** null: the video has no cover. */
export const retryCoverAfter = (claims: number): number | null => RETRY_DELAYS[claims - 1] ?? null;

/** A job is inserted in its video's transaction and deleted with it. Workspaces take turns. */
export interface CoverQueue {
  /** Jobs free at `now`; others don't get them before `until`. */
  claim(request: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly CoverJob[]>;
  /** To the end of its workspace's queue. */
  release(mediaId: Uuid, next: { readonly freeAt: number; readonly claims: number }): Promise<void>;
  /** In one transaction; false, and nothing stored, if the job has ended. */
  finish(mediaId: Uuid, cover: ActiveMedia | null): Promise<boolean>;
  depth(): Promise<number>;
}
