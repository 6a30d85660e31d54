import type { Uuid } from '../ids.ts';
import type { Scores } from './heatmap.ts';

/** A stretch of time, both ends included; milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Whose posts best times are read from. */
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
 * Posts and their engagement, rolled up by profile and quarter of an hour of UTC. It follows the posts by itself: each
 * change of a post changes it in the same transaction ({@link PostRepository}).
 */
export interface BestTimesRepository {
  /**
   * What the posts of a window are worth, by the hours of the week that the clocks of a zone showed. The posts of a
   * profile are as of one point in time; profiles without posts in the window change nothing. The cost depends on the days
   * that have posts, not on the length of the window, and other requests don't wait for it.
   *
   * @param signal ends it
   * @throws Refusal `busy` where too many wait; also once the signal is aborted
   */
  scores(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Scores>;
  /**
   * Counts everything anew from the posts, profile by profile, while posts come and go: a repair for a database that
   * was changed by other hands. Harmless to repeat or to break off.
   */
  rebuild(onProfile?: (done: number) => void): Promise<Recount>;
}
