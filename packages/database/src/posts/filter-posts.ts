import type { PostFilter, Uuid } from '@postshelf/domain';
import type { Queries } from '../repositories/store.ts';

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
