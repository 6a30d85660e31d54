import {
  type BestTimesRepository,
  type EngagementRow,
  engagementOf,
  type Post,
  QUARTER,
  quarterOf,
} from '@postshelf/domain';
import type { MemoryTables } from './memory-tables.ts';

/** Nothing is rolled up, so that nothing can be wrong: each visit counts the posts. */
export function memoryEngagement({ posts, profiles }: MemoryTables): BestTimesRepository {
  return {
    async *read(scope, { from, to }, isWhole) {
      const found = [...posts.values()].filter(
        (post) =>
          ('profileId' in scope ? post.profileId === scope.profileId : post.workspaceId === scope.workspaceId) &&
          post.publishedAt >= from &&
          post.publishedAt <= to,
      );
      for (const [profileId, ofProfile] of grouped(found, (post) => post.profileId)) {
        const rows: EngagementRow[] = [];
        for (const [quarter, together] of grouped(ofProfile, (post) => quarterOf(post.publishedAt))) {
          const isWithin = quarter * QUARTER >= from && (quarter + 1) * QUARTER - 1 <= to;
          if (isWithin && isWhole(quarter)) {
            const engagement = together.reduce((sum, post) => sum + engagementOf(post.metrics), 0);
            rows.push({ at: quarter * QUARTER, posts: together.length, engagement });
          } else
            for (const post of together)
              rows.push({ at: post.publishedAt, posts: 1, engagement: engagementOf(post.metrics) });
        }
        yield { profileId, rows };
      }
    },

    async rebuild(onProfile) {
      let done = 0;
      for (const _ of profiles.keys()) {
        done += 1;
        onProfile?.(done);
      }
      return { profiles: done, posts: posts.size, corrected: 0 };
    },
  };
}

function grouped<Key>(posts: readonly Post[], keyOf: (post: Post) => Key): ReadonlyMap<Key, readonly Post[]> {
  const byKey = new Map<Key, Post[]>();
  for (const post of posts) {
    const key = keyOf(post);
    byKey.set(key, [...(byKey.get(key) ?? []), post]);
  }
  return byKey;
}
