import type { Post, PostDetails, UpsertOutcome } from '@postshelf/domain';
import { lockForPosts } from '../repositories/lock-profiles.ts';
import type { Dialect, Queries } from '../repositories/store.ts';
import { attachmentsAmong } from './attachments.ts';
import { changePosts, type PostChange } from './change-posts.ts';
import { postOfDetails, withDetails } from './details.ts';
import { keyOf, postsNamed } from './posts-named.ts';

/**
 * Keeps posts by profile and external id, in order, within a transaction. All of them are looked up first and written
 * last, so that a batch takes a few statements; in between a post may be spoken of more than once.
 */
export async function putPosts(
  queries: Queries,
  dialect: Dialect,
  batch: readonly PostDetails[],
  now: number,
): Promise<readonly UpsertOutcome[]> {
  await lockForPosts(
    queries,
    batch.map((details) => details.profileId),
  );
  const existing = await postsNamed(queries, dialect, batch);
  const refuseMedia = await attachmentsAmong(
    queries,
    batch.flatMap((details) => details.mediaIds ?? []),
  );
  const changed = new Map<string, Post>();
  const outcomes = batch.map((details): UpsertOutcome => {
    const key = keyOf(details);
    const current = changed.get(key) ?? existing.get(key);
    const after = current ? withDetails(current, details, now) : postOfDetails(details, now);
    if (after === current) return 'unchanged';
    const refusals = refuseMedia(after, current?.mediaIds ?? []);
    if (refusals.size > 0) return { conflict: 'media', refusals };
    changed.set(key, after);
    return current ? 'updated' : 'created';
  });
  const changes = Array.from(changed, ([key, after]): PostChange => ({ before: existing.get(key) ?? null, after }));
  await changePosts(queries, changes);
  return outcomes;
}
