import type { Uuid } from '../ids.ts';
import type { Estimate } from './estimate.ts';
import type { Scores } from './heatmap.ts';

/** Both ends included; milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

export interface BestTimesScope {
  readonly workspaceId: Uuid;
  readonly profileId: Uuid | null;
}

export interface Recount {
  readonly profiles: number;
  readonly posts: number;
  readonly corrected: number;
}

/** By profile and UTC quarter of an hour, updated in the transaction that changes a post. */
export interface BestTimesRepository {
  /**
   * Posts of a profile are as of one moment. The cost depends on days with posts, and nobody waits for it.
   *
   * @throws Refusal `busy`; also once the signal is aborted
   */
  scores(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Scores>;
  /**
   * How good the hours are, from the newest posts of a window, at most `MAX_LEARNT_POSTS`; computed where nobody waits.
   *
   * @throws Refusal `busy`; also once the signal is aborted
   */
  estimate(scope: BestTimesScope, window: TimeWindow, zone: string, signal?: AbortSignal): Promise<Estimate>;
  /** When posts within the window are published: of each quarter of an hour the first and the last, rising. */
  published(scope: BestTimesScope, window: TimeWindow, signal?: AbortSignal): Promise<readonly number[]>;
  /** Recomputes all counts while posts may change. May be interrupted and repeated. */
  rebuild(onProfile?: (done: number) => void): Promise<Recount>;
}
