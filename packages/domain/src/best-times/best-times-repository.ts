import type { Uuid } from '../ids.ts';
import type { TimeWindow } from './date-range.ts';
import type { Estimate } from './estimate.ts';
import type { Scores } from './heatmap.ts';

export interface BestTimesScope {
  readonly workspaceId: Uuid;
  readonly profileId: Uuid | null;
}

/** What an estimate is learned from. */
export interface Lesson {
  readonly window: TimeWindow;
  /** The latest post that counts; later ones of the window are left out. */
  readonly until: number;
  /** The newest posts of a profile that count. */
  readonly most: number;
  readonly zone: string;
  /** Hours of the week that aren't suggested. */
  readonly excluded: readonly number[];
}

/** Reads the posts that count (`isCounted`), as they are now. */
export interface BestTimesRepository {
  /**
   * Sums up every post of a window. The posts of a profile are as of one moment.
   *
   * @throws Refusal `busy`; also once the signal is aborted
   */
  scores(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Scores>;
  /**
   * Learns how good the hours are from the newest posts of a window. Never computes on the main thread.
   *
   * @throws Refusal `busy`; also once the signal is aborted
   */
  estimate(scope: BestTimesScope, lesson: Lesson, signal?: AbortSignal): Promise<Estimate>;
  /** When posts within the window are published: of each quarter of an hour the first and the last, rising. */
  published(scope: BestTimesScope, window: TimeWindow, signal?: AbortSignal): Promise<readonly number[]>;
}
