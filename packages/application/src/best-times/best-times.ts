import {
  bestHours,
  type Heatmap,
  heatmapOf,
  type Method,
  type TimeWindow,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface BestTimes {
  readonly heatmap: Heatmap;
  readonly best: readonly number[];
}

export interface BestTimesQuery {
  readonly profileId: Uuid | null;
  readonly window: TimeWindow;
  readonly method?: Method | undefined;
}

/**
 * When posts of a workspace or a profile did best, by the hours of the week in the workspace's time zone (docs/api.md,
 * "Best times").
 */
export async function bestTimes(
  ports: Pick<Ports, 'bestTimes' | 'clock'>,
  { id: workspaceId, timezone }: Workspace,
  { profileId, window, method }: BestTimesQuery,
  signal?: AbortSignal,
): Promise<BestTimes> {
  // Metrics of a post to come prove nothing.
  const past = { ...window, to: Math.min(window.to, ports.clock.now()) };
  const scores = await ports.bestTimes.scores({ workspaceId, profileId }, past, timezone, signal);
  const heatmap = heatmapOf(scores, method);
  return { heatmap, best: bestHours(heatmap) };
}
