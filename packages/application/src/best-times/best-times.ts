import {
  bestHours,
  type Evidence,
  type Heatmap,
  heatmapOf,
  learntUntil,
  MAX_LEARNT_POSTS,
  type Method,
  type TimeWindow,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** The certainty of an estimate's scores. */
interface Certainty {
  /** Bounds of the 90 % intervals of the heatmap's cells. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly evidence: Evidence;
  /** Number of posts in the window that weren't used. */
  readonly leftOut: number;
}

export interface BestTimes {
  readonly heatmap: Heatmap;
  readonly best: readonly number[];
  /** null if the scores are plain averages. */
  readonly certainty: Certainty | null;
}

export interface BestTimesQuery {
  readonly profileId: Uuid | null;
  readonly window: TimeWindow;
  readonly method?: Method | undefined;
}

/**
 * Returns how posts of a workspace or a profile perform by hour of the week, in the workspace's time zone (docs/api.md,
 * "Best times"). By default, it returns the estimate on which slots are also based.
 */
export async function bestTimes(
  ports: Pick<Ports, 'bestTimes' | 'clock'>,
  { id: workspaceId, timezone }: Workspace,
  { profileId, window, method = 'estimate' }: BestTimesQuery,
  signal?: AbortSignal,
): Promise<BestTimes> {
  const now = ports.clock.now();
  const scope = { workspaceId, profileId };
  // Posts in the future are left out, because their metrics mean nothing yet.
  const past = { ...window, to: Math.min(window.to, now) };
  if (method === 'average') {
    const heatmap = heatmapOf(await ports.bestTimes.scores(scope, past, timezone, signal));
    return { heatmap, best: bestHours(heatmap), certainty: null };
  }
  const lesson = { window: past, until: learntUntil(now), max: MAX_LEARNT_POSTS, zone: timezone, excluded: [] };
  const { hours, posts, leftOut, evidence } = await ports.bestTimes.estimate(scope, lesson, signal);
  const heatmap = { cells: hours.map(({ score }) => score), counts: hours.map((hour) => hour.posts), posts };
  const [low, high] = [hours.map((hour) => hour.low), hours.map((hour) => hour.high)];
  return { heatmap, best: bestHours(heatmap), certainty: { low, high, evidence, leftOut } };
}
