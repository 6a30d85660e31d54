import {
  addProfile,
  bestHours,
  emptyProfileWeek,
  emptyScores,
  type Heatmap,
  heatmapOf,
  localHours,
  type Method,
  type ProfileWeek,
  type TimeWindow,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface BestTimes {
  readonly heatmap: Heatmap;
  /** Hours of the week, best first. */
  readonly best: readonly number[];
}

/**
 * When posts of a workspace, or of one of its profiles, did best, by the hours of the week in the workspace's time
 * zone (docs/api.md, "Best times").
 */
export async function bestTimes(
  ports: Pick<Ports, 'bestTimes'>,
  workspace: Workspace,
  profileId: Uuid | null,
  window: TimeWindow,
  method?: Method,
): Promise<BestTimes> {
  const hours = localHours(workspace.timezone);
  const isWhole = (quarter: number): boolean => hours.ofQuarter(quarter) !== null;
  const scope = profileId === null ? { workspaceId: workspace.id } : { profileId };
  const scores = emptyScores();
  let [ofProfile, week]: [Uuid | null, ProfileWeek] = [null, emptyProfileWeek()];
  for await (const page of ports.bestTimes.read(scope, window, isWhole)) {
    if (page.profileId !== ofProfile) {
      addProfile(scores, week);
      [ofProfile, week] = [page.profileId, emptyProfileWeek()];
    }
    for (const { at, posts, engagement } of page.rows) add(week, hours.at(at), posts, engagement);
  }
  addProfile(scores, week);
  const heatmap = heatmapOf(scores, method);
  return { heatmap, best: bestHours(heatmap) };
}

function add(week: ProfileWeek, hour: number, posts: number, engagement: number): void {
  week.posts[hour] = (week.posts[hour] ?? 0) + posts;
  week.engagement[hour] = (week.engagement[hour] ?? 0) + engagement;
}
