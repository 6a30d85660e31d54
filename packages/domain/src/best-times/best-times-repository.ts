import type { Uuid } from '../ids.ts';
import type { Scores } from './heatmap.ts';

/** Both ends included; milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

export interface BestTimesScope {
  readonly workspaceId: Uuid;
  /** null: all profiles of the workspace. */
  readonly profileId: Uuid | null;
}

export interface Recount {
  readonly profiles: number;
  readonly posts: number;
  /** UTC days of a profile whose counts were wrong. */
  readonly corrected: number;
}

/**
 * Counts of posts and their engagement by profile and UTC quarter of an hour, updated in the transaction that changes a
 * post.
 */
export interface BestTimesRepository {
  /**
   * Scores by hour of the week in the zone; the posts of a profile are as of one moment. The cost depends on days with
   * posts, and nobody waits for it.
   *
   * @throws Refusal `busy` if too many callers wait; also once the signal is aborted
   */
  scores(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Scores>;
  /**
   * Recomputes all counts while posts may change: for a database that others changed. May be interrupted and repeated.
   */
  rebuild(onProfile?: (done: number) => void): Promise<Recount>;
}
