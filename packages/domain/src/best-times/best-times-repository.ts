import type { Uuid } from '../ids.ts';
import type { Scores } from './heatmap.ts';

/** A time range, both ends included; milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The posts from which best times are computed. */
export interface BestTimesScope {
  readonly workspaceId: Uuid;
  /** One profile of the workspace; null for all of them. */
  readonly profileId: Uuid | null;
}

/** The result of a rebuild. */
export interface Recount {
  readonly profiles: number;
  readonly posts: number;
  /** UTC days of a profile whose counts were wrong before. */
  readonly corrected: number;
}

/**
 * Counts of posts and their engagement by profile and UTC quarter of an hour. Each change of a post updates them in the
 * same transaction ({@link PostRepository}).
 */
export interface BestTimesRepository {
  /**
   * Scores of the posts in a window, by hour of the week in the given time zone. The posts of each profile are read as
   * of one point in time; profiles without posts in the window have no influence. The cost depends on the days that
   * have posts, not on the length of the window, and other requests don't wait for it.
   *
   * @param signal cancels it
   * @throws Refusal `busy` if too many callers wait; also once the signal is aborted
   */
  scores(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Scores>;
  /**
   * Recomputes all counts from the posts, profile by profile, while posts may change: a repair for a database that was
   * changed outside this program. It may be repeated or interrupted safely.
   */
  rebuild(onProfile?: (done: number) => void): Promise<Recount>;
}
