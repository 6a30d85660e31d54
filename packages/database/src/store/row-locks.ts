import { invalid, selectedInvalid, type Uuid } from '@postshelf/domain';
import { blocksOf } from './blocks.ts';
import type { Queries } from './store.ts';

/**
 * Locks the posts of these profiles and their roll-up until the transaction ends. Called before the first read of a
 * post that will be changed, and before media are locked. All callers lock profiles in the order of their ids, so that
 * no deadlock arises.
 *
 * @returns whether all of them exist
 */
export async function lockProfiles(queries: Queries, ids: Iterable<Uuid>): Promise<boolean> {
  let areThere = true;
  for (const block of blocksOf([...new Set(ids)].sort())) {
    const profiles = queries.selectFrom('profiles').select('id').where('id', 'in', block);
    const locked = await profiles.orderBy('id').forNoKeyUpdate().execute();
    areThere &&= locked.length === block.length;
  }
  return areThere;
}

/**
 * The same before posts are added.
 *
 * @throws Refusal `invalid` on `profile` when one of them was removed
 */
export async function lockForPosts(queries: Queries, ids: Iterable<Uuid>): Promise<void> {
  if (!(await lockProfiles(queries, ids))) throw invalid('profile', selectedInvalid('profile'));
}

/** The same for the profile of a post, which stays in it. */
export async function lockProfileOf(queries: Queries, postId: Uuid): Promise<void> {
  const post = await queries.selectFrom('posts').select('profile_id').where('id', '=', postId).executeTakeFirst();
  if (post) await lockProfiles(queries, [post.profile_id]);
}

/**
 * Locks an item until the transaction ends; false when there is none (any more). Called before the rows that belong to
 * the item (cover, import, presigned upload) are touched: removing an item locks in the same order, so that no deadlock
 * arises.
 */
export async function lockItem(queries: Queries, id: Uuid): Promise<boolean> {
  const row = await queries.selectFrom('media').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return row !== undefined;
}
