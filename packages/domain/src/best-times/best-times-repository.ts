import type { Uuid } from '../ids.ts';

/** A stretch of time, both ends included; milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Posts of one profile that are counted together: those of a quarter of an hour, or a single one. */
export interface EngagementRow {
  /** The quarter's beginning, or when the post was published; milliseconds since the epoch. */
  readonly at: number;
  readonly posts: number;
  /** The sum of their engagement. */
  readonly engagement: number;
}

/** Some of what one profile posted in a window, at least one row, in no order. */
export interface EngagementPage {
  readonly profileId: Uuid;
  readonly rows: readonly EngagementRow[];
}

/** What posts and rebuilding came to. */
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
   * Reads what was posted in the window, page by page, so that the memory holds one page however long the window is. The
   * pages of a profile come one behind the other and are as of one point in time; profiles without posts in the window
   * have none. A quarter is one row where it lies in the window as a whole and may be counted as a whole, and else a row
   * for each of its posts within the window.
   *
   * Between two pages the caller awaits nothing else of this database: a transaction is open. It ends with the
   * iteration, also where that is left early.
   *
   * @param isWhole whether a quarter (see `quarterOf`) may be counted as a whole; asked for those within the window alone
   */
  read(
    scope: { readonly workspaceId: Uuid } | { readonly profileId: Uuid },
    window: TimeWindow,
    isWhole: (quarter: number) => boolean,
  ): AsyncIterable<EngagementPage>;
  /**
   * Counts everything anew from the posts, profile by profile, while posts come and go: a repair for a database that
   * was changed by other hands. Harmless to repeat or to break off.
   */
  rebuild(onProfile?: (done: number) => void): Promise<Recount>;
}
