import type { Uuid } from '@postshelf/domain';
import { blocksOf } from './blocks.ts';
import type { Queries } from './store.ts';

/**
 * Keeps everybody else from changing posts of these profiles, and what is rolled up of them, until the transaction
 * ends. Asked for before the first look at a post that will be changed, and before media are locked. All take the
 * profiles in the order of their ids, so that nobody waits in a circle.
 */
export async function lockProfiles(queries: Queries, ids: Iterable<Uuid>): Promise<void> {
  for (const block of blocksOf([...new Set(ids)].sort())) {
    await queries.selectFrom('profiles').select('id').where('id', 'in', block).orderBy('id').forNoKeyUpdate().execute();
  }
}

/** The same for the profile of a post, which stays in it. */
export async function lockProfileOf(queries: Queries, postId: Uuid): Promise<void> {
  const post = await queries.selectFrom('posts').select('profile_id').where('id', '=', postId).executeTakeFirst();
  if (post) await lockProfiles(queries, [post.profile_id]);
}
