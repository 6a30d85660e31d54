import {
  addProfile,
  type BestTimesRepository,
  type BestTimesScope,
  emptyProfileWeek,
  emptyScores,
  engagementOf,
  localHours,
  type Post,
  type Scores,
  type TimeWindow,
} from '@postshelf/domain';

/** What the repository answers. */
export const told = (
  bestTimes: BestTimesRepository,
  scope: BestTimesScope,
  window: TimeWindow,
  zone = 'UTC',
): Promise<Scores> => bestTimes.scores(scope, window, zone);

/** What it has to answer, if these are the posts of the scope: post by post, profile by profile in the order of their ids. */
export function toTell(posts: readonly Post[], { from, to }: TimeWindow, zone = 'UTC'): Scores {
  const hours = localHours(zone);
  const scores = emptyScores();
  for (const profileId of [...new Set(posts.map((post) => post.profileId))].sort()) {
    const week = emptyProfileWeek();
    for (const { publishedAt, metrics } of posts.filter((post) => post.profileId === profileId)) {
      if (publishedAt < from || publishedAt > to) continue;
      const hour = hours.at(publishedAt);
      week.posts[hour] = (week.posts[hour] ?? 0) + 1;
      week.engagement[hour] = (week.engagement[hour] ?? 0) + engagementOf(metrics);
    }
    addProfile(scores, week);
  }
  return scores;
}
