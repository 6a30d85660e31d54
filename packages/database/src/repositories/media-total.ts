import type { MediaFilter, Uuid } from '@postshelf/domain';
import { countOf, sumOf } from './count.ts';
import { filterMedia } from './media-filter.ts';
import type { Dialect, Queries } from './store.ts';

/**
 * How many media a list with this filter has: of folder, status and kind the counts that are kept, which costs the same
 * however many there are; a search or a time is counted, item by item.
 */
export function totalOfMedia(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
): Promise<number> {
  const { folderId, status, kind, search, from, to } = filter;
  if (search !== undefined || from !== undefined || to !== undefined) {
    return countOf(filterMedia(queries, workspaceId, filter));
  }
  let counts = queries.selectFrom('media_counts').where('workspace_id', '=', workspaceId);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? dialect.noId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  if (kind !== undefined) counts = counts.where('kind', '=', kind);
  return sumOf(counts, 'items');
}
