import type { Uuid } from '../ids.ts';

/** A stretch of time, both ends included; milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Hears what one profile posted in a window, in no order. */
export interface EngagementVisitor {
  /** Whether a quarter of an hour (see `quarterOf`) within the window can be told as a whole. */
  takesWhole(quarter: number): boolean;
  /** Of a whole quarter: how many posts, and the sum of their engagement. */
  quarter(quarter: number, posts: number, engagement: number): void;
  /** A post of a quarter that isn't told as a whole. */
  post(publishedAt: number, engagement: number): void;
  /** All of a profile's have been told. Profiles without posts in the window aren't mentioned. */
  endProfile(): void;
}

/** What posts and rebuilding came to. */
export interface Recount {
  readonly profiles: number;
  readonly posts: number;
  /** UTC days of a profile that were told wrongly before. */
  readonly corrected: number;
}

/**
 * Posts and their engagement, rolled up by profile and quarter of an hour of UTC. It follows the posts by itself: each
 * change of a post changes it in the same transaction ({@link PostRepository}).
 */
export interface BestTimesRepository {
  /**
   * Tells of the window, profile by profile: each quarter that has posts as a whole, if it lies in the window as a
   * whole and the visitor takes it so, and else its posts within the window one by one. Each profile is told as of one
   * moment.
   */
  visit(
    scope: { readonly workspaceId: Uuid } | { readonly profileId: Uuid },
    window: TimeWindow,
    visitor: EngagementVisitor,
  ): Promise<void>;
  /**
   * Counts everything anew from the posts, profile by profile, while posts come and go: a repair for a database that
   * was changed by other hands. Harmless to repeat or to break off.
   */
  rebuild(onProfile?: (done: number) => void): Promise<Recount>;
}
