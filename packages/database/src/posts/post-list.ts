import type { PostFilter, Uuid } from '@postshelf/domain';
import { countOf, sumOf } from '../store/count.ts';
import type { Queries } from '../store/store.ts';

/**
 * The posts of a workspace that a list with this filter has. Those of a profile are asked for by the profile alone, if
 * it is the workspace's, so that their own index serves.
 */
export function filterPosts(queries: Queries, workspaceId: Uuid, { profileId, from, to }: PostFilter) {
  let posts = queries.selectFrom('posts');
  if (profileId === undefined) posts = posts.where('workspace_id', '=', workspaceId);
  else {
    const ownProfile = queries
      .selectFrom('profiles')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', profileId);
    posts = posts.where('profile_id', '=', ownProfile);
  }
  if (from !== undefined) posts = posts.where('published_at', '>=', from);
  if (to !== undefined) posts = posts.where('published_at', '<=', to);
  return posts;
}

/** How many posts a list with this filter has, from the counts that are kept; within a time they are counted. */
export function totalOfPosts(queries: Queries, workspaceId: Uuid, filter: PostFilter): Promise<number> {
  const { profileId, from, to } = filter;
  if (from !== undefined || to !== undefined) return countOf(filterPosts(queries, workspaceId, filter));
  let counts = queries.selectFrom('post_counts').where('workspace_id', '=', workspaceId);
  if (profileId !== undefined) counts = counts.where('profile_id', '=', profileId);
  return sumOf(counts, 'posts');
}
