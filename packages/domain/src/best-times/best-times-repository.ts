import type { TimeWindow } from '../dates/date-range.ts';
import type { Uuid } from '../ids.ts';
import type { Estimate } from './estimate.ts';
import type { Scores } from './heatmap.ts';

export interface BestTimesScope {
  readonly workspaceId: Uuid;
  readonly profileId: Uuid | null;
}

/** The posts and hours that an estimate is learned from. */
export interface Lesson {
  readonly window: TimeWindow;
  /** The latest time of a post that counts; later posts in the window are left out. */
  readonly until: number;
  /** Maximum number of posts per profile; only the newest ones count. */
  readonly max: number;
  readonly zone: string;
  /** Hours of the week that aren't suggested. */
  readonly excluded: readonly number[];
}

/** Reads the posts that count (`isCounted`), as they are at the time of the call. */
export interface BestTimesRepository {
  /**
   * Sums up every post in a window. Each profile's posts are read from one snapshot.
   *
   * @throws Refusal `busy`; also a Refusal once the signal is aborted
   */
  scores(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Scores>;
  /**
   * Learns how good the hours are from the newest posts in a window. Never computes on the main thread.
   *
   * @throws Refusal `busy`; also a Refusal once the signal is aborted
   */
  estimate(scope: BestTimesScope, lesson: Lesson, signal?: AbortSignal): Promise<Estimate>;
  /** Lists, in ascending order, the first and the last publication time of each quarter of an hour in the window. */
  published(scope: BestTimesScope, window: TimeWindow, signal?: AbortSignal): Promise<readonly number[]>;
}
