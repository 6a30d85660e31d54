import {
  addProfile,
  type BestTimesRepository,
  type BestTimesScope,
  type Estimate,
  emptyProfileWeek,
  emptyScores,
  engagementOf,
  estimate,
  isCounted,
  localHours,
  type Post,
  type Scores,
  type TimeWindow,
} from '@postshelf/domain';

/** Reads the scores that the repository returns. */
export const readScores = (
  bestTimes: BestTimesRepository,
  scope: BestTimesScope,
  window: TimeWindow,
  zone = 'UTC',
): Promise<Scores> => bestTimes.scores(scope, window, zone);

/**
 * Computes the scores that the repository has to return for these posts of a scope. Counts post by post, in the order
 * of the profiles' ids.
 */
export function expectedScores(posts: readonly Post[], { from, to }: TimeWindow, zone = 'UTC'): Scores {
  const hours = localHours(zone);
  const scores = emptyScores();
  for (const profileId of [...new Set(posts.map((post) => post.profileId))].sort()) {
    const week = emptyProfileWeek();
    for (const { publishedAt, metrics } of posts.filter((post) => post.profileId === profileId && isCounted(post))) {
      if (publishedAt < from || publishedAt > to) continue;
      const hour = hours.at(publishedAt);
      week.posts[hour] = (week.posts[hour] ?? 0) + 1;
      week.engagement[hour] = (week.engagement[hour] ?? 0) + engagementOf(metrics);
    }
    addProfile(scores, week);
  }
  return scores;
}

/**
 * Computes the estimate that the repository has to return for these posts of a scope. Ignores the time `until`, so all
 * posts must have been published by then.
 */
export function expectedEstimate(posts: readonly Post[], { from, to }: TimeWindow, zone = 'UTC'): Estimate {
  const counted = posts.filter((post) => isCounted(post) && post.publishedAt >= from && post.publishedAt <= to);
  const profiles = [...new Set(counted.map((post) => post.profileId))].sort().map((profileId) => {
    const own = counted
      .filter((post) => post.profileId === profileId)
      .toSorted((one, other) => other.publishedAt - one.publishedAt);
    return {
      at: Float64Array.from(own, ({ publishedAt }) => publishedAt),
      engagement: Float64Array.from(own, ({ metrics }) => engagementOf(metrics)),
    };
  });
  return estimate(profiles, localHours(zone));
}
