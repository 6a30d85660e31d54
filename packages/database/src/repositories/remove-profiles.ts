import type { Uuid } from '@postshelf/domain';
import type { Queries } from './store.ts';

/**
 * Removes profiles and what was counted of them, within the transaction that has locked their rows, so that nobody adds
 * a post meanwhile. False, and nothing is removed, while one of them has posts.
 */
export async function removeProfiles(queries: Queries, ids: readonly Uuid[]): Promise<boolean> {
  const post = await queries
    .selectFrom('posts')
    .select('id')
    .where('profile_id', 'in', ids)
    .limit(1)
    .executeTakeFirst();
  if (post !== undefined) return false;
  await queries.deleteFrom('engagement_days').where('profile_id', 'in', ids).execute();
  await queries.deleteFrom('post_counts').where('profile_id', 'in', ids).execute();
  await queries.deleteFrom('profiles').where('id', 'in', ids).execute();
  return true;
}
