import { invalid, notFound, selectedInvalid, type Uuid } from '@postshelf/domain';
import { blocksOf } from './blocks.ts';
import type { Queries } from './dialect.ts';
import { refersToNothing } from './errors.ts';

/**
 * Locks a workspace before a row is added to it. If the removal of the workspace starts meanwhile, it waits for this
 * lock, and then also removes the row.
 *
 * @returns false if the workspace doesn't exist or is being removed
 */
export async function lockWorkspace(queries: Queries, id: Uuid): Promise<boolean> {
  const workspace = queries.selectFrom('workspaces').select('id').where('id', '=', id);
  return (await workspace.where('removal_begun_at', 'is', null).forShare().executeTakeFirst()) !== undefined;
}

/**
 * Inserts rows that may refer to a workspace without locking it first. The database then waits for a removal of the
 * workspace that has begun, and refuses the rows once the workspace is gone.
 *
 * @param insert every other row that it refers to must be locked
 * @throws Refusal `not_found` if the workspace doesn't exist (any more)
 */
export async function insertInWorkspace(insert: Promise<unknown>): Promise<void> {
  try {
    await insert;
  } catch (error) {
    throw refersToNothing(error) ? notFound() : error;
  }
}

/**
 * Locks profiles, and with them their posts, in the order of their ids. Call it before the first read of a post that
 * will be changed, and before media are locked.
 *
 * @returns whether all of them exist
 */
async function lockProfiles(queries: Queries, ids: Iterable<Uuid>): Promise<boolean> {
  let areThere = true;
  for (const block of blocksOf([...new Set(ids)].sort())) {
    const profiles = queries
      .selectFrom('profiles')
      .select('id')
      .where('id', 'in', block)
      .where('removal_begun_at', 'is', null);
    const locked = await profiles.orderBy('id').forNoKeyUpdate().execute();
    areThere &&= locked.length === block.length;
  }
  return areThere;
}

/**
 * Locks profiles like {@link lockProfiles}, before posts are added.
 *
 * @throws Refusal `invalid` on `profile` when one doesn't exist (any more)
 */
export async function lockForPosts(queries: Queries, ids: Iterable<Uuid>): Promise<void> {
  if (!(await lockProfiles(queries, ids))) throw invalid('profile', selectedInvalid('profile'));
}

/**
 * Locks the profile of a post. A post never moves to another profile, so the profile can be looked up before it is
 * locked.
 *
 * @returns false if there is no such post, or its profile is being removed
 */
export async function lockProfileOf(queries: Queries, postId: Uuid): Promise<boolean> {
  const post = await queries.selectFrom('posts').select('profile_id').where('id', '=', postId).executeTakeFirst();
  return post !== undefined && (await lockProfiles(queries, [post.profile_id]));
}

/**
 * Locks an item; returns false if it doesn't exist (any more). Call it before changing or locking rows that belong to
 * the item: the removal of an item locks the item first as well, so the two can't deadlock.
 */
export async function lockItem(queries: Queries, id: Uuid): Promise<boolean> {
  const row = await queries.selectFrom('media').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return row !== undefined;
}
