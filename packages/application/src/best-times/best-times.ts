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
  QUARTER,
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
  const scores = emptyScores();
  let week = emptyProfileWeek();
  const scope = profileId === null ? { workspaceId: workspace.id } : { profileId };
  await ports.bestTimes.visit(scope, window, {
    takesWhole: (quarter) => hours.ofQuarter(quarter) !== null,
    quarter(quarter, posts, engagement) {
      add(week, hours.ofQuarter(quarter) ?? hours.at(quarter * QUARTER), posts, engagement);
    },
    post: (publishedAt, engagement) => add(week, hours.at(publishedAt), 1, engagement),
    endProfile() {
      addProfile(scores, week);
      week = emptyProfileWeek();
    },
  });
  const heatmap = heatmapOf(scores, method);
  return { heatmap, best: bestHours(heatmap) };
}

function add(week: ProfileWeek, hour: number, posts: number, engagement: number): void {
  week.posts[hour] = (week.posts[hour] ?? 0) + posts;
  week.engagement[hour] = (week.engagement[hour] ?? 0) + engagement;
}
