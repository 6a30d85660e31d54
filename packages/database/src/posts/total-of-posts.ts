import type { PostFilter, Uuid } from '@postshelf/domain';
import { countOf, sumOf } from '../repositories/count.ts';
import type { Queries } from '../repositories/store.ts';
import { filterPosts } from './filter-posts.ts';

/** How many posts a list with this filter has, from the counts that are kept; within a time they are counted. */
export function totalOfPosts(queries: Queries, workspaceId: Uuid, filter: PostFilter): Promise<number> {
  const { profileId, from, to } = filter;
  if (from !== undefined || to !== undefined) return countOf(filterPosts(queries, workspaceId, filter));
  let counts = queries.selectFrom('post_counts').where('workspace_id', '=', workspaceId);
  if (profileId !== undefined) counts = counts.where('profile_id', '=', profileId);
  return sumOf(counts, 'posts');
}
