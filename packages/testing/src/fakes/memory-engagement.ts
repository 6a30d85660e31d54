import { type BestTimesRepository, engagementOf, type Post, QUARTER, quarterOf } from '@postshelf/domain';
import type { MemoryTables } from './memory-tables.ts';

/** Nothing is rolled up, so that nothing can be wrong: each visit counts the posts. */
export function memoryEngagement({ posts, profiles }: MemoryTables): BestTimesRepository {
  return {
    async visit(scope, { from, to }, visitor) {
      const told = [...posts.values()].filter(
        (post) =>
          ('profileId' in scope ? post.profileId === scope.profileId : post.workspaceId === scope.workspaceId) &&
          post.publishedAt >= from &&
          post.publishedAt <= to,
      );
      for (const ofProfile of grouped(told, (post) => post.profileId).values()) {
        for (const [quarter, together] of grouped(ofProfile, (post) => quarterOf(post.publishedAt))) {
          const isWithin = quarter * QUARTER >= from && (quarter + 1) * QUARTER - 1 <= to;
          if (isWithin && visitor.takesWhole(quarter)) {
            const engagement = together.reduce((sum, post) => sum + engagementOf(post.metrics), 0);
            visitor.quarter(quarter, together.length, engagement);
          } else for (const post of together) visitor.post(post.publishedAt, engagementOf(post.metrics));
        }
        visitor.endProfile();
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
